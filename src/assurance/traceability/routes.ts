// Routes of the traceability.

import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { jsonBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Assurance } from '../assurance.ts';
import { gapsOf, listGaps, type StoryGaps } from '../coverage/gaps.ts';
import { impactOf, withOrphans } from '../impact/impact.ts';
import { loadResults } from '../results/load-results.ts';
import type { ResultIndex } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, type Walk, walkThrough } from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { verdictsSolelyOn } from '../validation/transfer.ts';
import { exportReply } from './exports.ts';
import { traceView } from './links.ts';
import {
  TraceabilityBody,
  type TraceabilityFilters,
  type TraceabilityInput,
  TraceabilityQuery,
} from './model.ts';
import {
  coverageView,
  gapView,
  isStoryId,
  matrixView,
  type Placed,
  storiesFrom,
  takeBehind,
  tracesFrom,
} from './pages.ts';
import { writeTraces } from './write.ts';

type TraceabilityCall = Call<TraceabilityFilters, undefined>;
type View = NonNullable<TraceabilityFilters['view']>;

const STORY_FILTERS = ['storyId', 'status', 'kind', 'tag', 'inherited'] as const;
const PAGING = ['limit', 'cursor'] as const;

/** What goes with each view, besides its name. */
const TAKEN: Record<View, readonly (keyof TraceabilityFilters)[]> = {
  stories: [...STORY_FILTERS, ...PAGING, 'format'],
  matrix: [...STORY_FILTERS, ...PAGING],
  gaps: [...STORY_FILTERS, ...PAGING],
  traces: ['storyId', 'state', 'type', 'targetKind', 'targetId', ...PAGING, 'format'],
  impact: ['storyId'],
};

export function readTraceability(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).TRACEABILITY_DOCS.read,
    query: TraceabilityQuery,
    async handler(call): Promise<Reply> {
      const { query, caller } = call;
      requireFit(query);
      const state = await assurance.states.of(caller.projectId);
      const { view = 'stories', format = 'json' } = query;
      if (format !== 'json') {
        const project = caller.project?.slug ?? '';
        return exportReply(state, query, format, project);
      }
      return VIEWS[view](state, call, assurance);
    },
  });
}

/** @throws Problem `invalid` for parameters that say nothing together */
function requireFit(query: TraceabilityFilters): void {
  const { view = 'stories', format } = query;
  for (const name of Object.keys(query) as (keyof TraceabilityFilters)[]) {
    if (name === 'view' || query[name] === undefined) continue;
    if (!TAKEN[view].includes(name) && !(name === 'format' && format === 'json'))
      throw invalid(`/${name}`, `does not go with view=${view}`);
    if (format !== undefined && format !== 'json' && PAGING.some((paging) => paging === name))
      throw invalid(`/${name}`, `does not go with format=${format}, which holds everything`);
  }
  if (format === 'html' && view !== 'stories')
    throw invalid('/format', `html does not go with view=${view}`);
}

const VIEWS: Record<
  View,
  (state: AssuranceState, call: TraceabilityCall, assurance: Assurance) => Promise<Reply>
> = {
  stories: (state, call, assurance) =>
    paged(assurance, state, call, storiesFrom, (stories) => ({ items: stories.map(coverageView) })),
  matrix: (state, call, assurance) =>
    paged(assurance, state, call, storiesFrom, (stories) => matrixView(state, stories)),
  gaps: (state, call, assurance) =>
    paged(assurance, state, call, gapsFrom, (gaps) => {
      const { items, counts } = listGaps(state);
      return {
        gaps: { stories: items.length, ...counts },
        items: gaps.map((one) => gapView(state, one)),
      };
    }),
  traces: (state, call, assurance) =>
    paged(assurance, state, call, tracesFrom, (traces) => ({
      items: traces.map((one) => traceView(state, one)),
    })),
  impact: async (state, { query }, assurance) => {
    const storyIds = [...new Set(query.storyId)];
    if (storyIds.length === 0) throw invalid('/storyId', 'is required with view=impact');
    if (!storyIds.every((id) => isStoryId(state, id))) throw notFound('story');
    const orphaned = await verdictsSolelyOn(assurance, state, storyIds);
    return tagged(state, { storyIds, impact: withOrphans(impactOf(state, storyIds), orphaned) });
  },
};

function* gapsFrom(...given: Parameters<typeof storiesFrom>): Generator<Placed<StoryGaps>> {
  for (const { item: story, ...place } of storiesFrom(...given)) {
    const gaps = gapsOf(given[0], story);
    if (gaps.length > 0) yield { ...place, item: { story, gaps } };
  }
}

async function paged<T>(
  assurance: Assurance,
  state: AssuranceState,
  { query, request }: TraceabilityCall,
  itemsFrom: (
    state: AssuranceState,
    walk: Walk,
    key: number,
    query: TraceabilityFilters,
  ) => Iterable<Placed<T>>,
  view: (items: T[]) => object,
): Promise<Reply> {
  const filters = filterHash('getTraceability', query);
  const place = placeOfWalk(decodeAnchored(filters, query.cursor));
  const walk = await walkThrough(assurance, state.effective, place);
  const limit = query.limit ?? PAGE_DEFAULT;
  const page = pageOf(
    takeBehind(itemsFrom(state, walk, place?.key ?? 0, query), place, limit),
    limit,
    filters,
    ({ key }) => key,
    ({ item }) => item,
    ({ key, beside }) => anchorOf(walk, key, beside),
  );
  const { summary } = state.coverage();
  const { items, nextCursor } = page;
  return tagged(state, { summary, ...view(items), nextCursor }, nextLink(request, page));
}

function tagged(
  { effective }: AssuranceState,
  view: object,
  headers: Record<string, string> = {},
): Reply {
  const text = JSON.stringify(view);
  return ok(undefined, { text, headers, etag: etagOf(effective.revision?.number ?? 0, text) });
}

export function writeTraceability(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).TRACEABILITY_DOCS.write,
    body: jsonBody(TraceabilityBody),
    async handler(call) {
      const { projectId } = call.caller;
      const tests = await testsNamedBy(assurance, projectId, call.body);
      return writeOnState<Reply>(assurance, call, ['traces'], async (db, state) => {
        const author = { actor: actorOf(call.caller), now: call.now };
        return ok(await writeTraces(db, tests ? { ...state, tests } : state, call.body, author));
      });
    },
  });
}

/** What is known of tests with those that new links name; undefined where all of them are known. */
async function testsNamedBy(
  { states, database }: Assurance,
  projectId: string,
  { add = [] }: TraceabilityInput,
): Promise<ResultIndex | undefined> {
  const ids = add.flatMap(({ target }) => (target.kind === 'test' ? target.id : []));
  const { tests } = await states.of(projectId);
  if (ids.every((id) => tests.wanted.has(id))) return undefined;
  return loadResults(database.read, projectId, new Set([...tests.wanted, ...ids]), tests);
}
