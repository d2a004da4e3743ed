// Route of reading route candidates.
import { timestamp } from '../clock.ts';
import { endpoint } from '../http/endpoint.ts';
import { decodeCursor, filterHash, nextLink, PAGE_DEFAULT, pageOf } from '../http/pages.ts';
import { ok, type Reply } from '../http/reply.ts';
import { passing } from './keyed-page.ts';
import type { Quality } from './quality.ts';
import { type CandidateFilters, CandidateQuery } from './route-candidate-model.ts';
import type { RouteCandidate } from './routes/fold.ts';

export function readRouteCandidates({ routeCandidates }: Quality) {
  return endpoint({
    docs: async () => (await import('./route-docs.ts')).ROUTE_DOCS.candidates,
    query: CandidateQuery,
    async handler({ query, caller, request }): Promise<Reply> {
      const list = await routeCandidates.of(caller.projectId);
      const filters = filterHash('getRouteCandidates', query);
      const behind = decodeCursor(filters, query.cursor);
      const limit = query.limit ?? PAGE_DEFAULT;
      const rows = passing(list, behind, limit, candidateFilter(query));
      const page = pageOf(
        rows,
        limit,
        filters,
        ({ key }) => key,
        ({ item }) => candidateView(item),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
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
  };
}
