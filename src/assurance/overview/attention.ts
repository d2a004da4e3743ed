// What needs a person: stories by their status, verdicts, issues, findings, proposals, each with the
// first of them and the documents that have most.
import type { CoverageStatus, StoryCoverage } from '../coverage/model.ts';
import { documentOf } from '../graph/documents.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TransferItem } from '../validation/dispositions.ts';
import type { Disposition } from '../validation/model.ts';
import { ATTENTION, type Attention, type AttentionKind, type Named } from './model.ts';

const SHOWN = 3;
const NO_LONGER: readonly Disposition[] = ['invalidated', 'suspect', 'suspect_test', 'ambiguous'];

/** @param items - all there are, or the first of `count` */
export function attentionTo(
  kind: AttentionKind,
  link: string,
  items: readonly Named[],
  { count = items.length, documents = [] as Attention['documents'] } = {},
): Attention[] {
  if (count === 0) return [];
  return [{ kind, count, items: items.slice(0, SHOWN), documents, link, action: ATTENTION[kind] }];
}

/** What the state alone says, in any order. */
export function storiesInNeed(
  state: AssuranceState,
  transfer: readonly TransferItem[],
): Attention[] {
  const ofStories = (kind: AttentionKind, link: string, ids: readonly string[]) => {
    const documents = Map.groupBy(
      ids.flatMap((id) => documentOf(state, id) ?? []),
      ({ id }) => id,
    );
    const most = [...documents.values()].sort((a, b) => b.length - a.length).slice(0, SHOWN);
    const named = ids
      .slice(0, SHOWN)
      .map((id) => ({ id, title: state.effective.node(id)?.title ?? id }));
    return attentionTo(kind, link, named, {
      count: ids.length,
      documents: most.flatMap(({ 0: document, length }) =>
        document ? [{ id: document.id, title: document.title, count: length }] : [],
      ),
    });
  };
  const own = state.coverage().stories.filter(({ inherited }) => !inherited);
  const byStatus = Map.groupBy(own, ({ status }) => status);
  const withStatus = (status: CoverageStatus & AttentionKind) => {
    const link = `/api/project-traceability?status=${status}&inherited=false`;
    return ofStories(status, link, (byStatus.get(status) ?? []).map(idOf));
  };
  const judged = (kind: AttentionKind, wanted: readonly Disposition[]) => {
    const found = transfer.filter(({ disposition }) => wanted.includes(disposition));
    return ofStories(
      kind,
      `/api/validation-transfer?disposition=${wanted.join(',')}`,
      found.map(idOf),
    );
  };
  const { edits, additions } = state.effective;
  const proposals = [...edits, ...additions].filter((one) => one.state === 'proposed');
  return [
    ...(['failing', 'uncovered', 'suspect', 'stale', 'unexecuted'] as const).flatMap(withStatus),
    ...judged('verdicts', NO_LONGER),
    ...judged('renamed', ['renamed']),
    ...ofStories('proposals', '/api/srs-graph?view=overlays&state=proposed', proposals.map(idOf)),
  ];
}

function idOf({ storyId }: Pick<StoryCoverage, 'storyId'>): string {
  return storyId;
}
