// The matrix of stories by what shows that they hold, or by documents that they are linked with: windows
// of it, whose rows and columns keep their places for as long as nothing changes.
import type { Static } from '@sinclair/typebox';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import { runInSlices, type Steps } from '../../runtime/scheduler.ts';
import { summaryOf } from '../coverage/coverage.ts';
import type { CoveringTest, StoryCoverage } from '../coverage/model.ts';
import { scopeOf } from '../coverage/scope.ts';
import { isCurrent } from '../coverage/story-links.ts';
import { documentOf } from '../graph/documents.ts';
import { findTest } from '../results/model.ts';
import { ownTest, scenarioNamed } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import {
  type CellOutcome,
  OUTCOMES,
  type TraceabilityFilters,
  type TraceabilityMatrix,
} from './model.ts';
import { storyFilter } from './pages.ts';

type Window = Static<typeof TraceabilityMatrix>;
type Columns = NonNullable<TraceabilityFilters['columns']>;
type Counts = Window['columns'][number]['counts'];

interface Mark {
  kind: Window['columns'][number]['kind'];
  id: string | null;
  outcome: CellOutcome;
}

interface Matrix {
  stories: readonly StoryCoverage[];
  marks: readonly { mark: Mark; counts: Counts }[];
  at: ReadonlyMap<string, number>;
}

/** What a story has in its row. */
const MARKS: Record<Columns, (state: AssuranceState, story: StoryCoverage) => Iterable<Mark>> = {
  test: marksOfTests,
  *suite(state, story) {
    for (const { kind, id, outcome } of marksOfTests(state, story)) {
      if (kind === 'command') yield { kind, id, outcome };
      else yield { kind: 'suite', id: suiteOf(state, kind, id ?? ''), outcome };
    }
  },
  *document(state, { storyId }) {
    const { at, outgoing, incoming } = state.effective.index;
    const place = at.get(storyId) ?? -1;
    for (const { from, to, type, status } of [...outgoing(place), ...incoming(place)]) {
      if (type === 'contains') continue;
      const other = documentOf(state, from === storyId ? to : from);
      yield { kind: 'document', id: other?.id ?? null, outcome: status };
    }
  },
};

function* marksOfTests(state: AssuranceState, { storyId, tests, traces }: StoryCoverage) {
  for (const { target, type, state: link } of traces) {
    if (target.kind !== 'scenario' || type !== 'verifies' || link === 'broken') continue;
    const result = state.results.of(target);
    const stale = result?.status === 'passed' && !isCurrent(state, storyId, result);
    const judged = { state: link, result: result?.status ?? null, stale, quarantined: false };
    yield { kind: 'scenario', id: target.id, outcome: outcomeOf(judged) } as const;
  }
  for (const test of tests) {
    const { kind, id } = ownTest(state, { kind: test.kind, id: test.id });
    yield { kind, id, outcome: outcomeOf(test) } as Mark;
  }
}

type Judged = Pick<CoveringTest, 'state' | 'result' | 'stale' | 'quarantined'>;

function outcomeOf({ state, result, stale, quarantined }: Judged): CellOutcome {
  if (quarantined) return 'quarantined';
  if (result === 'failed' || result === 'broken') return result;
  if (state === 'suspect') return 'suspect';
  return stale ? 'stale' : (result ?? 'notRun');
}

function suiteOf(state: AssuranceState, kind: string, id: string): string | null {
  if (kind === 'scenario') return scenarioNamed(state, id)?.feature ?? null;
  return findTest(state.tests, id)?.suite ?? null;
}

function keyOf({ kind, id }: Mark): string {
  return `${kind} ${id ?? ''}`;
}

/** How many stories are looked at in a step. */
const STEP = 64;

function* makeMatrix(
  state: AssuranceState,
  columns: Columns,
  passes: (story: StoryCoverage) => boolean,
): Steps<Matrix> {
  const stories = state.coverage().stories.filter(passes);
  const marks: Matrix['marks'][number][] = [];
  const at = new Map<string, number>();
  for (const [number, story] of stories.entries()) {
    if (number % STEP === 0) yield;
    for (const mark of MARKS[columns](state, story)) {
      const key = keyOf(mark);
      const place = at.get(key) ?? marks.push({ mark, counts: {} }) - 1;
      at.set(key, place);
      count(marks[place]?.counts, mark);
    }
  }
  return { stories, marks, at };
}

function count(counts: Counts = {}, { outcome }: Mark): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1;
}

const matrices = new WeakMap<AssuranceState, Map<string, Promise<Matrix>>>();
const MAX_MATRICES = 4;

function matrixOf(state: AssuranceState, query: TraceabilityFilters): Promise<Matrix> {
  const { columns = 'test', storyId, status, kind, tag, root, inherited } = query;
  const known = matrices.get(state) ?? new Map<string, Promise<Matrix>>();
  matrices.set(state, known);
  const key = JSON.stringify([columns, storyId, status, kind, tag, root, inherited]);
  const matrix =
    known.get(key) ?? runInSlices(makeMatrix(state, columns, storyFilter(state, query)));
  known.delete(key);
  known.set(key, matrix);
  const [oldest = ''] = known.keys();
  if (known.size > MAX_MATRICES) known.delete(oldest);
  return matrix;
}

export async function readMatrix(
  state: AssuranceState,
  query: TraceabilityFilters,
): Promise<Window> {
  const { columns: by = 'test', rowFrom = 0, columnFrom = 0 } = query;
  const { limit = PAGE_DEFAULT, columnLimit = MAX_PAGE_SIZE } = query;
  const { stories, marks, at } = await matrixOf(state, query);
  const cells: Window['cells'] = [];
  const rows = stories.slice(rowFrom, rowFrom + limit).map((story, row) => {
    const own = new Map<number, Counts>();
    const counts: Counts = {};
    for (const mark of MARKS[by](state, story)) {
      count(counts, mark);
      const column = at.get(keyOf(mark)) ?? -1;
      if (column < columnFrom || column >= columnFrom + columnLimit) continue;
      const inCell = own.get(column) ?? {};
      own.set(column, inCell);
      count(inCell, mark);
    }
    for (const [column, inCell] of [...own].sort(([a], [b]) => a - b))
      for (const outcome of OUTCOMES) {
        const found = inCell[outcome];
        if (found) cells.push({ row: rowFrom + row, column, outcome, count: found });
      }
    const { storyId, kind, title, status, inherited } = story;
    const document = documentOf(state, storyId)?.id ?? null;
    return { storyId, kind, title, status, inherited, document, counts };
  });
  const columns = marks
    .slice(columnFrom, columnFrom + columnLimit)
    .map(({ mark: { kind, id }, counts }) => ({ ...columnView(state, kind, id), counts }));
  const summary = query.summary && {
    summary: summaryOf(state, scopeOf(state, query)),
    documents: documentsOf(state, stories),
  };
  const window = { rowFrom, columnFrom, totals: { rows: stories.length, columns: marks.length } };
  return {
    revision: state.effective.revision?.number ?? 0,
    ...summary,
    ...window,
    rows,
    columns,
    cells,
  };
}

function documentsOf(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const found: NonNullable<Window['documents']> = [];
  for (const [rowFrom, { storyId }] of stories.entries()) {
    const { id, title } = documentOf(state, storyId) ?? { id: null, title: null };
    const last = found.at(-1);
    if (last && last.id === id) last.rows += 1;
    else found.push({ id, title, rowFrom, rows: 1 });
  }
  return found;
}

function columnView(state: AssuranceState, kind: Mark['kind'], id: string | null) {
  const test = kind === 'test' ? findTest(state.tests, id ?? '') : undefined;
  const command = state.commands.find((kind === 'command' ? id : test?.result?.commandId) ?? '');
  const scenario = kind === 'scenario' ? scenarioNamed(state, id ?? '')?.title : undefined;
  const document = kind === 'document' ? state.effective.node(id ?? '')?.title : undefined;
  const called = kind === 'command' ? command?.name : test?.name;
  return {
    kind,
    id,
    name: called ?? scenario ?? document ?? id,
    command: command ? { id: command.id, key: command.key, name: command.name } : null,
  };
}
