// Routes of the traceability.
import { jsonBody } from '../http/body.ts';
import { actorOf } from '../http/caller.ts';
import { type Call, endpoint } from '../http/endpoint.ts';
import { etagOf } from '../http/etag.ts';
import { decodeAnchored, filterHash, nextLink, PAGE_DEFAULT, pageOf } from '../http/pages.ts';
import { invalid, notFound } from '../http/problem.ts';
import { ok, type Reply } from '../http/reply.ts';
import type { Assurance } from './assurance.ts';
import type { StoryCoverage } from './coverage-model.ts';
import { withOrphans } from './edit-impact.ts';
import { filteredList, type KeyedList, sliceBehind } from './filtered-lists.ts';
import { listGaps, type StoryGaps } from './gaps.ts';
import { impactOf } from './impact.ts';
import { solelyOn } from './sole-heirs.ts';
import type { AssuranceState } from './state.ts';
import { type ListedTrace, listTraces, PER_STORY } from './trace-rows.ts';
import { exportReply } from './traceability-exports.ts';
import {
  TraceabilityBody,
  type TraceabilityFilters,
  TraceabilityQuery,
} from './traceability-model.ts';
import {
  amongStories,
  amongTraces,
  coverageView,
  gapSummary,
  gapView,
  isStoryId,
  listedView,
  listStories,
  matrixView,
  storyFilter,
  traceFilter,
} from './traceability-views.ts';
import { writeOnState } from './write-on-state.ts';
import { writeTraces } from './write-traces.ts';

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
    docs: async () => (await import('./traceability-docs.ts')).TRACEABILITY_DOCS.read,
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
  (state: AssuranceState, call: TraceabilityCall, assurance: Assurance) => Reply | Promise<Reply>
> = {
  stories: (state, call) =>
    pageOfStories(state, call, (stories) => ({ items: stories.map(coverageView) })),
  matrix: (state, call) => pageOfStories(state, call, (stories) => matrixView(state, stories)),
  gaps: (state, call) => {
    const passes = storyFilter(state, call.query);
    const list = amongStories(state, listGaps(state), call.query);
    const only = passes && (({ story }: StoryGaps) => passes(story));
    return paged(
      state,
      call,
      { list, passes: only, storyOf: ({ story }) => story.storyId },
      (gaps) => ({
        gaps: gapSummary(state),
        items: gaps.map((one) => gapView(state, one)),
      }),
    );
  },
  traces: (state, call) => {
    const list = amongTraces(state, listTraces(state), call.query);
    const passes = traceFilter(call.query);
    const listed = {
      list,
      passes,
      storyOf: (one: ListedTrace) => one.storyId,
      perStory: PER_STORY,
    };
    return paged(state, call, listed, (traces) => ({
      items: traces.map((one) => listedView(state, one)),
    }));
  },
  impact: async (state, { query }, assurance) => {
    const storyIds = [...new Set(query.storyId)];
    if (storyIds.length === 0) throw invalid('/storyId', 'is required with view=impact');
    if (!storyIds.every((id) => isStoryId(state, id))) throw notFound('story');
    const orphaned = await solelyOn(assurance, state, storyIds);
    return tagged(state, { storyIds, impact: withOrphans(impactOf(state, storyIds), orphaned) });
  },
};

function pageOfStories(
  state: AssuranceState,
  call: TraceabilityCall,
  view: (stories: StoryCoverage[]) => object,
): Reply {
  const list = amongStories(state, listStories(state), call.query);
  const passes = storyFilter(state, call.query);
  return paged(state, call, { list, passes, storyOf: ({ storyId }) => storyId }, view);
}

interface Listed<T> {
  list: KeyedList<T>;
  passes: ((item: T) => boolean) | undefined;
  storyOf: (item: T) => string;
  /** How many keys the items of a story may have; one unless told. */
  perStory?: number;
}

function paged<T>(
  state: AssuranceState,
  { query, request }: TraceabilityCall,
  { list, passes, storyOf, perStory = 1 }: Listed<T>,
  view: (items: T[]) => object,
): Reply {
  const filters = filterHash('getTraceability', query);
  const behind = behindStory(state, decodeAnchored(filters, query.cursor), perStory);
  const limit = query.limit ?? PAGE_DEFAULT;
  const page = pageOf(
    sliceBehind(filteredList(state, filters, list, passes), behind, limit),
    limit,
    filters,
    ({ key }) => key,
    ({ item }) => item,
    ({ item }) => storyOf(item),
  );
  const { summary } = state.coverage();
  const { items, nextCursor } = page;
  return tagged(state, { summary, ...view(items), nextCursor }, nextLink(request, page));
}

/** The key behind which a page begins: where the last story seen stands by now. */
function behindStory(
  { effective: { index } }: AssuranceState,
  seen: { key: number; anchor: string | undefined } | undefined,
  perStory: number,
): number | undefined {
  const place = seen?.anchor === undefined ? undefined : index.at.get(seen.anchor);
  return seen && place !== undefined ? place * perStory + (seen.key % perStory) : seen?.key;
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
    docs: async () => (await import('./traceability-docs.ts')).TRACEABILITY_DOCS.write,
    body: jsonBody(TraceabilityBody),
    handler: (call) =>
      writeOnState(assurance, call, ['traces'], async (db, state) => {
        const author = { actor: actorOf(call.caller), now: call.now };
        return ok(await writeTraces(db, state, call.body, author));
      }),
  });
}
