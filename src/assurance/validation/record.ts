// Recording verdicts of people: for each, what is applied and why the others are not.
import type { Actor } from '../../access/caller.ts';
import { parseTime } from '../../model/time.ts';
import { isTestKey } from '../../quality/reports/test-names.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { readNamedTests } from '../results/judged-results.ts';
import { ownTest } from '../results/target-results.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import type { JudgedTest, ResultInput } from './model.ts';
import { storyOf } from './renames.ts';
import { coveringTests, type NewValidation, type Verdict, verdictRow } from './rows.ts';
import type { Outcome } from './schemas.ts';

export interface Deciding {
  state: AssuranceState;
  actor: Actor;
  now: number;
}

export class Decided {
  readonly rows: NewValidation[] = [];
  readonly outcomes: Outcome[] = [];

  refuse(storyId: string, why: string): void {
    this.outcomes.push({ storyId, applied: false, validationId: null, why });
  }

  apply(row: NewValidation, why: string): void {
    this.rows.push(row);
    this.outcomes.push({ storyId: row.storyId, applied: true, validationId: row.id, why });
  }
}

export type TestContents = ReadonlyMap<string, string>;

export async function readTestContents(
  db: Db,
  { effective, tests }: AssuranceState,
  results: readonly ResultInput[],
): Promise<TestContents> {
  const named = results.flatMap((result) => result.tests ?? []);
  const unknown = named.filter(
    ({ kind, id }) => kind === 'test' && isTestKey(id) && !tests.tests.has(id),
  );
  const keys = [...new Set(unknown.map(({ id }) => id))];
  const contents = new Map<string, string>();
  for await (const rows of readNamedTests(db, effective.projectId, keys)) {
    for (const { testKey, own } of rows) {
      if (own.contentSha256 !== null) contents.set(testKey, own.contentSha256);
    }
  }
  return contents;
}

export function recordVerdicts(
  { state, actor, now }: Deciding,
  results: readonly ResultInput[],
  contents: TestContents,
): Decided {
  const decided = new Decided();
  for (const [index, result] of results.entries()) {
    const { verdict, evidence = null, note = null } = result;
    const story = storyOf(state.effective, result.storyId);
    const at = result.at === undefined ? now : parseTime(`/results/${index}/at`, result.at);
    const why = whyRefused(state, story, result, at, now) ?? whyNotNext(state, result);
    if (why !== undefined || !story) {
      decided.refuse(result.storyId, why ?? '');
      continue;
    }
    const given = result.tests?.map((test) => withFingerprint(state, test, contents));
    const said: Verdict = {
      verdict,
      method: result.method ?? (given && given.length > 0 ? 'test' : 'inspection'),
      evidence,
      note,
      tests: given ?? coveringTests(state, story.id),
      at,
      transferredFrom: null,
    };
    decided.apply(verdictRow(state, story, said, actor, now, result), 'It was recorded.');
  }
  return decided;
}

function whyNotNext(
  { validationsOf }: AssuranceState,
  { storyId, replaces }: ResultInput,
): string | undefined {
  if (replaces === undefined) return undefined;
  const last = validationsOf.get(storyId)?.at(-1)?.id ?? null;
  if (last === replaces) return undefined;
  return last === null
    ? 'Nobody has judged it yet: there is nothing to replace.'
    : `Its last verdict is ${last} by now.`;
}

/** Why a verdict cannot be on a story as it is here; undefined where it can. */
export function whyRefused(
  { effective }: AssuranceState,
  story: GraphNode | undefined,
  result: Pick<ResultInput, 'storyId' | 'fingerprint' | 'deepFingerprint'>,
  at: number,
  now: number,
): string | undefined {
  const { storyId, fingerprint, deepFingerprint } = result;
  const holds = (stored: string, letter: string) =>
    stored.startsWith('f') === (letter === 'f') && effective.under(storyId, stored) === stored;
  if (!story) return `There is no story ${storyId}.`;
  if (at > now) return 'It would have been judged in the future.';
  if (fingerprint !== undefined && !holds(fingerprint, 'f'))
    return 'The story says something else here: its fingerprint differs.';
  if (deepFingerprint !== undefined && !holds(deepFingerprint, 'd'))
    return 'Something that the story rests on differs here: its deep fingerprint does.';
  return undefined;
}

function withFingerprint(
  state: AssuranceState,
  test: NonNullable<ResultInput['tests']>[number],
  contents: TestContents,
): JudgedTest {
  const { kind, id, fingerprint } = ownTest(state, test);
  const known = kind === 'test' ? contents.get(id) : undefined;
  const today = testFingerprints(state)({ kind, id }) ?? known;
  return { kind, id, fingerprint: fingerprint ?? today ?? null };
}
