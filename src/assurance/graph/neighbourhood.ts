// The neighbourhood of a node: what is some steps away along links, either way, and what hangs on it.
import { inArray } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFoundAt } from '../../errors.ts';
import { PAGE_DEFAULT } from '../../model/pages.ts';
import { RunReference } from '../../quality/runs/model.ts';
import { RUN_COLUMNS, runView } from '../../quality/runs/runs.ts';
import type { GraphEdge } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { testRuns } from '../../store/tables/quality.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf, validationView } from '../validation/verdicts.ts';
import type { GraphQuery, Neighbour, Neighbourhood } from './model.ts';

const DEFAULT_DEPTH = 2;
/** Of nodes other than the root, each way. */
const MAX_BESIDE = 10;
/** Of tests and of issues of a node. */
const MAX_HANGING = 10;

/** @throws Problem `not_found` where nothing has the root */
export async function readNeighbourhood(
  db: Db,
  state: AssuranceState,
  { root = '', depth = DEFAULT_DEPTH, limit = PAGE_DEFAULT, with: wanted = [] }: GraphQuery,
): Promise<Neighbourhood> {
  const { node, revision } = state.effective;
  if (!node(root)) throw notFoundAt('/root', 'is in no source');
  const steps = stepsFrom(state, root, depth, limit);
  const nodes = [...steps].map(([id, step]) => neighbour(state, steps, { id, step, root, wanted }));
  const runIds = nodes.flatMap(({ tests = [] }) => tests.flatMap(({ run }) => run?.id ?? []));
  return {
    revision: revision?.number ?? 0,
    root,
    nodes,
    edges: [...steps.keys()].flatMap((id) =>
      linksAt(state, id, root).up.filter(({ from, to, status }) => {
        const other = from === id ? to : from;
        return status === 'dangling' || steps.has(other);
      }),
    ),
    ...(wanted.includes('tests') ? { runs: await readRuns(db, runIds) } : {}),
  };
}

interface Links {
  /** To what it rests on, or what contains it. */
  up: readonly GraphEdge[];
  down: readonly GraphEdge[];
}

/** The links of a node; of all that contains others only the root's parent and its parts are near it. */
function linksAt({ effective: { index } }: AssuranceState, id: string, root: string): Links {
  const place = index.at.get(id) ?? -1;
  const [outgoing, incoming] = [index.outgoing(place), index.incoming(place)];
  const isLink = ({ type }: GraphEdge) => type !== 'contains';
  const isNear = ({ type, from, to }: GraphEdge) =>
    type === 'contains' && (from === root || to === root);
  return {
    up: [...outgoing.filter(isLink), ...incoming.filter(isNear)],
    down: [...incoming.filter(isLink), ...outgoing.filter(isNear)],
  };
}

function otherEnds({ effective: { node } }: AssuranceState, id: string, edges: Links['up']) {
  const ids = edges.map(({ from, to }) => (from === id ? to : from));
  return [...new Set(ids)].filter((one) => one !== id && node(one));
}

/** How far away each is, the nearest first. */
function stepsFrom(state: AssuranceState, root: string, depth: number, limit: number) {
  const steps = new Map([[root, 0]]);
  for (const [id, step] of steps) {
    if (step >= depth) break;
    const { up, down } = linksAt(state, id, root);
    const most = id === root ? limit : MAX_BESIDE;
    for (const edges of [up, down]) {
      const fresh = otherEnds(state, id, edges).filter((one) => !steps.has(one));
      for (const one of fresh.slice(0, most)) if (steps.size < limit) steps.set(one, step + 1);
    }
  }
  return steps;
}

function neighbour(
  state: AssuranceState,
  steps: ReadonlyMap<string, number>,
  { id, step, root, wanted }: { id: string; step: number; root: string; wanted: readonly string[] },
): Neighbour {
  const { kind = 'story', title = '' } = state.effective.node(id) ?? {};
  const story = state.coverage().of(id);
  const { up, down } = linksAt(state, id, root);
  const away = (edges: Links['up']) =>
    otherEnds(state, id, edges).filter((one) => !steps.has(one)).length;
  const tests = wanted.includes('tests') ? (story?.tests ?? []) : undefined;
  const issues = wanted.includes('issues') ? (state.issuesOf.get(id) ?? []) : undefined;
  return {
    id,
    kind,
    title,
    steps: step,
    status: story?.status ?? null,
    inherited: story?.inherited ?? false,
    ...(tests && { tests: tests.slice(0, MAX_HANGING).map((test) => testView(state, test)) }),
    ...(issues && { issues: issues.slice(0, MAX_HANGING).map(({ storyId: _of, ...one }) => one) }),
    ...(wanted.includes('validations') && { validation: verdictOn(state, id) }),
    leftOut: {
      up: away(up),
      down: away(down),
      tests: Math.max(0, (tests?.length ?? 0) - MAX_HANGING),
      issues: Math.max(0, (issues?.length ?? 0) - MAX_HANGING),
    },
  };
}

type Tests = NonNullable<Neighbour['tests']>;

function testView(state: AssuranceState, test: Omit<Tests[number], 'run'>): Tests[number] {
  const result = state.results.of(test);
  return { ...test, run: result ? { id: result.runId, at: timestamp(result.at) } : null };
}

function verdictOn({ effective, validationsOf }: AssuranceState, id: string) {
  const last = currentVerdict(effective, validationsOf.get(id));
  return last ? { ...validationView(last), standing: standingOf(effective, last) } : null;
}

async function readRuns(db: Db, ids: readonly string[]) {
  const rows = await db
    .select(RUN_COLUMNS)
    .from(testRuns)
    .where(inArray(testRuns.id, [...new Set(ids)]))
    .orderBy(testRuns.seq);
  return rows.map((row) => runView(RunReference, row));
}
