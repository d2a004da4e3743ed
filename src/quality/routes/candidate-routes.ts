// Route of reading route candidates.
import { timestamp } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { firstBehind, passing } from '../keyed-page.ts';
import type { Quality } from '../quality.ts';
import { compareTexts } from '../sort-text.ts';
import { type CandidateFilters, CandidateQuery } from './candidate-model.ts';
import type { CandidateList } from './candidates.ts';
import type { RouteCandidate } from './fold.ts';

export function readRouteCandidates({ routeCandidates }: Quality) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).ROUTE_DOCS.candidates,
    query: CandidateQuery,
    async handler({ query, caller, request }): Promise<Reply> {
      const list = await routeCandidates.of(caller.projectId);
      const filters = filterHash('getRouteCandidates', query);
      const from = placeOfNext(list, decodeAnchored(filters, query.cursor));
      const limit = query.limit ?? PAGE_DEFAULT;
      const rows = passing(list.items, from, limit, candidateFilter(query));
      const page = pageOf(
        rows,
        limit,
        filters,
        ({ item }) => item.observations,
        ({ item }) => candidateView(item),
        ({ at }) => list.texts[at] ?? '',
      );
      return ok(page, { headers: nextLink(request, page) });
    },
  });
}

/**
 * The place of the first candidate that sorts behind one that was seen: with fewer observations, or
 * as many and a greater text.
 *
 * @throws Problem `invalid` for a cursor that says nothing of the text
 */
function placeOfNext(
  { items, texts }: CandidateList,
  seen: { key: number; anchor: string | undefined } | undefined,
): number {
  if (!seen) return 0;
  const { key, anchor } = seen;
  if (anchor === undefined) throw invalid('/cursor', 'is not a cursor of this service');
  return firstBehind(items.length, (at) => {
    const observations = items[at]?.observations ?? 0;
    if (observations !== key) return observations < key;
    return compareTexts(texts[at] ?? '', anchor) > 0;
  });
}

function candidateFilter(filters: CandidateFilters): (candidate: RouteCandidate) => boolean {
  const { origins, storyIds, minConfidence = 0 } = filters;
  const methods = filters.method && new Set(filters.method.map((one) => one.toUpperCase()));
  return (candidate) =>
    candidate.confidence >= minConfidence &&
    (!methods || methods.has(candidate.method)) &&
    (!origins || origins.some((one) => candidate.origins.includes(one))) &&
    (!storyIds || storyIds.some((id) => candidate.storyIds.includes(id)));
}

function candidateView({ firstSeen, lastSeen, ...candidate }: RouteCandidate) {
  const { method, template, examples, observations, origins, confidence } = candidate;
  return {
    ...{ method, template, examples, observations },
    ...{ firstSeen: timestamp(firstSeen), lastSeen: timestamp(lastSeen), origins, confidence },
    ...{ params: candidate.params, storyIds: candidate.storyIds },
    untrusted: candidate.untrusted,
  };
}
