// How stories, gaps and the matrix are shown.
import { isNormative } from '../../requirements/graph/model.ts';
import type { StoryGaps } from '../coverage/gaps.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { nameOf } from '../results/target-names.ts';
import { targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';

/** A story of the default list. */
export function coverageView({ traces: _links, ...story }: StoryCoverage) {
  return story;
}

/** A story with its gaps. */
export function gapView(state: AssuranceState, { story, gaps }: StoryGaps) {
  const { storyId, title, kind, status, inherited } = story;
  const named = gaps.map(({ target, ...gap }) => ({
    ...gap,
    target: target && { ...target, name: nameOf(state, target) },
  }));
  return { storyId, title, kind, status, inherited, gaps: named };
}

interface MatrixCell {
  /** Among the rows and columns of the same answer. */
  row: number;
  column: number;
  type: StoryTrace['type'];
  state: StoryTrace['state'];
  /** The newest result of the target; null where it has none. */
  result: string | null;
  traceId: string | null;
}

/** The sparse matrix of some stories: the columns are what they are linked to. */
export function matrixView(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const columns: (StoryTrace['target'] & { name: string | null })[] = [];
  const at = new Map<string, number>();
  const cells: MatrixCell[] = [];
  for (const [row, { traces }] of stories.entries()) {
    for (const { id, type, target, state: own } of traces) {
      const key = targetKey(target);
      const column = at.get(key) ?? columns.push({ ...target, name: nameOf(state, target) }) - 1;
      at.set(key, column);
      const result = state.results.of(target)?.status ?? null;
      cells.push({ row, column, type, state: own, result, traceId: id });
    }
  }
  const rows = stories.map(({ storyId, title, status, inherited }) => ({
    storyId,
    title,
    status,
    inherited,
  }));
  return { rows, columns, cells };
}

/** Whether an id names a story of the effective graph. */
export function isStoryId({ effective }: AssuranceState, id: string): boolean {
  const node = effective.node(id);
  return node !== undefined && isNormative(node);
}
