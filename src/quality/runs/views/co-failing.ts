// Groups of tests that fail together from run to run: most flaky tests fail in clusters that share
// a cause (Parry and others, 2025). Exact sets of runs are grouped first, then those much alike are
// found by MinHash (Broder, 1997), so that the work grows with the failures and not with the pairs.
import { hash } from 'node:crypto';
import { runAtOnce, type Steps } from '../../scheduler.ts';

export interface Failure {
  testKey: string;
  runId: string;
}

export interface CoFailingGroup {
  /** Sorted; at most `keys` of them. */
  testKeys: string[];
  /** How many tests there are in the group. */
  size: number;
  /** Runs in which at least half of them failed. */
  runs: number;
}

export interface GroupLimits {
  /** How alike the runs of two tests are: the share of both in either (Jaccard). */
  similarity: number;
  /** Runs in which tests failed together before that says something. */
  support: number;
  groups: number;
  keys: number;
}

export const GROUP_LIMITS: GroupLimits = { similarity: 0.7, support: 2, groups: 100, keys: 100 };

const BANDS = 16;
const ROWS = 3;
const BUCKET = 20;
const A_STEP = 100;

interface Alike {
  runs: number[];
  testKeys: string[];
}

/** Finds the groups of tests that fail together, the largest first. */
export function coFailingGroups(
  failures: Iterable<Failure>,
  limits: Partial<GroupLimits> = {},
): CoFailingGroup[] {
  return runAtOnce(coFailingSteps(failures, limits));
}

export function* coFailingSteps(
  failures: Iterable<Failure>,
  limits: Partial<GroupLimits> = {},
): Steps<CoFailingGroup[]> {
  const { similarity, support, groups, keys } = { ...GROUP_LIMITS, ...limits };
  const sets = (yield* alikeSets(failures)).filter(({ runs }) => runs.length >= support);
  const joined = yield* joinNear(sets, similarity);
  const found: CoFailingGroup[] = [];
  for (const members of joined) {
    yield;
    const testKeys = members.flatMap((set) => set.testKeys).sort();
    const runs = sharedRuns(members, testKeys.length);
    if (testKeys.length > 1 && runs >= support)
      found.push({ testKeys: testKeys.slice(0, keys), size: testKeys.length, runs });
  }
  return found
    .sort((a, b) => b.size - a.size || b.runs - a.runs || compare(a.testKeys[0], b.testKeys[0]))
    .slice(0, groups);
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function* alikeSets(failures: Iterable<Failure>): Steps<Alike[]> {
  let taken = 0;
  const runNumbers = new Map<string, number>();
  const runsOf = new Map<string, Set<number>>();
  for (const { testKey, runId } of failures) {
    const run = runNumbers.get(runId) ?? runNumbers.size;
    runNumbers.set(runId, run);
    const runs = runsOf.get(testKey);
    if (runs === undefined) runsOf.set(testKey, new Set([run]));
    else runs.add(run);
    taken += 1;
    if (taken % A_STEP === 0) yield;
  }
  const sets = new Map<string, Alike>();
  for (const [testKey, numbers] of runsOf) {
    const runs = [...numbers].sort((a, b) => a - b);
    const mark = hash('sha256', runs.join(','), 'base64');
    const set = sets.get(mark);
    if (set === undefined) sets.set(mark, { runs, testKeys: [testKey] });
    else set.testKeys.push(testKey);
    taken += 1;
    if (taken % A_STEP === 0) yield;
  }
  return [...sets.values()];
}

function* joinNear(sets: readonly Alike[], similarity: number): Steps<Alike[][]> {
  const parents = sets.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (parents[root] !== root) {
      const next = parents[root] ?? root;
      parents[root] = parents[next] ?? next;
      root = parents[root] ?? root;
    }
    return root;
  };
  const signatures: Uint32Array[] = [];
  for (const { runs } of sets) {
    signatures.push(signatureOf(runs));
    yield;
  }
  for (let band = 0; band < BANDS; band += 1) {
    const buckets = new Map<string, number[]>();
    for (const [at, signature] of signatures.entries()) {
      yield;
      const mark = signature.slice(band * ROWS, band * ROWS + ROWS).join();
      const bucket = buckets.get(mark) ?? [];
      if (bucket.length === 0) buckets.set(mark, bucket);
      for (const other of bucket) {
        const [one, two] = [rootOf(at), rootOf(other)];
        if (one === two) continue;
        if (jaccard(sets[at]?.runs ?? [], sets[other]?.runs ?? []) < similarity) continue;
        parents[Math.max(one, two)] = Math.min(one, two);
      }
      if (bucket.length < BUCKET) bucket.push(at);
    }
  }
  const groups = new Map<number, Alike[]>();
  sets.forEach((set, at) => {
    const root = rootOf(at);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [set]);
    else group.push(set);
  });
  return [...groups.values()];
}

function signatureOf(runs: readonly number[]): Uint32Array {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (const run of runs) {
    for (let row = 0; row < least.length; row += 1) {
      const mixed = mix(run + Math.imul(row + 1, 0x9e3779b1));
      if (mixed < (least[row] ?? 0)) least[row] = mixed;
    }
  }
  return least;
}

function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function jaccard(one: readonly number[], two: readonly number[]): number {
  let [a, b, both] = [0, 0, 0];
  while (a < one.length && b < two.length) {
    const [x = 0, y = 0] = [one[a], two[b]];
    if (x === y) both += 1;
    if (x <= y) a += 1;
    if (y <= x) b += 1;
  }
  return both / (one.length + two.length - both);
}

function sharedRuns(members: readonly Alike[], size: number): number {
  const counts = new Map<number, number>();
  for (const { runs, testKeys } of members) {
    for (const run of runs) counts.set(run, (counts.get(run) ?? 0) + testKeys.length);
  }
  return [...counts.values()].filter((count) => 2 * count >= size).length;
}
