// Routes of the traceability.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, type Caller } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Assurance } from '../assurance.ts';
import { gapsOf, listGaps, type StoryGaps } from '../coverage/gaps.ts';
import type { StoryCoverage } from '../coverage/model.ts';
import { impactOf, withOrphans } from '../impact/impact.ts';
import { loadResults } from '../results/load-results.ts';
import type { ResultIndex } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, type Walk, walkThrough } from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { verdictsSolelyOn } from '../validation/transfer.ts';
import { TRACEABILITY_DOCS } from './docs.ts';
import { type ExportFormat, exportedText, MEDIA_TYPES } from './exports.ts';
import { type ListedTrace, traceView } from './links.ts';
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
import {
  CoveragePage,
  GapPage,
  LobsterDocument,
  MatrixPage,
  StoryImpact,
  TraceabilityWritten,
  TracePage,
} from './schemas.ts';
import { writeTraces } from './write.ts';

type View = NonNullable<TraceabilityFilters['view']>;

export const traceabilityRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'traceability', prefix: '/project-traceability' })
    .use(api(assurance))
    .get('', ({ caller, query, request }) => readTraceability(assurance, caller, query, request), {
      operation: { id: 'getTraceability', docs: TRACEABILITY_DOCS.read },
      query: queryOf(TraceabilityQuery),
      response: answers({
        200: Type.Union([
          CoveragePage,
          MatrixPage,
          GapPage,
          TracePage,
          StoryImpact,
          LobsterDocument,
        ]),
      }),
    })
    .post('', (call) => writeTraceability(assurance, call, call.body), {
      operation: { id: 'writeTraceability', docs: TRACEABILITY_DOCS.write },
      query: noQuery,
      body: jsonBody(TraceabilityBody),
      response: answers({ 200: TraceabilityWritten }),
    });

const STORY_FILTERS = ['storyId', 'status', 'kind', 'tag', 'inherited'] as const;
const PAGING = ['limit', 'cursor'] as const;

const TAKEN: Record<View, readonly (keyof TraceabilityFilters)[]> = {
  stories: [...STORY_FILTERS, ...PAGING, 'format'],
  matrix: [...STORY_FILTERS, ...PAGING],
  gaps: [...STORY_FILTERS, ...PAGING],
  traces: ['storyId', 'state', 'type', 'targetKind', 'targetId', ...PAGING, 'format'],
  impact: ['storyId'],
};

async function readTraceability(
  assurance: Assurance,
  caller: Caller,
  query: TraceabilityFilters,
  request: Request,
) {
  requireFit(query);
  const state = await assurance.states.of(caller.projectId);
  const { view = 'stories', format = 'json' } = query;
  if (format === 'json') return VIEWS[view](state, query, request, assurance);
  return exported(await exportedText(state, query, format, caller.project?.slug ?? ''), format);
}

function exported({ text, etag }: { text: string; etag: string }, format: ExportFormat) {
  // The page comes from the origin of the API: nothing in it may run.
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  return made<Static<typeof LobsterDocument>>({
    text,
    etag,
    mediaType: MEDIA_TYPES[format],
    headers: format === 'html' ? { 'Content-Security-Policy': policy } : {},
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

const VIEWS = {
  stories: (state, query, request, assurance) =>
    paged<StoryCoverage, Static<typeof CoveragePage>>(
      assurance,
      state,
      { query, request },
      storiesFrom,
      (stories) => ({ items: stories.map(coverageView) }),
    ),
  matrix: (state, query, request, assurance) =>
    paged<StoryCoverage, Static<typeof MatrixPage>>(
      assurance,
      state,
      { query, request },
      storiesFrom,
      (stories) => matrixView(state, stories),
    ),
  gaps: (state, query, request, assurance) =>
    paged<StoryGaps, Static<typeof GapPage>>(
      assurance,
      state,
      { query, request },
      gapsFrom,
      (gaps) => {
        const { items, counts } = listGaps(state);
        return {
          gaps: { stories: items.length, ...counts },
          items: gaps.map((one) => gapView(state, one)),
        };
      },
    ),
  traces: (state, query, request, assurance) =>
    paged<ListedTrace, Static<typeof TracePage>>(
      assurance,
      state,
      { query, request },
      tracesFrom,
      (traces) => ({ items: traces.map((one) => traceView(state, one)) }),
    ),
  impact: async (state, query, _request, assurance) => {
    const storyIds = [...new Set(query.storyId)];
    if (storyIds.length === 0) throw invalid('/storyId', 'is required with view=impact');
    if (!storyIds.every((id) => isStoryId(state, id))) throw notFound('story');
    const orphaned = await verdictsSolelyOn(assurance, state, storyIds);
    const impact = withOrphans(impactOf(state, storyIds), orphaned);
    return tagged<Static<typeof StoryImpact>>(state, { storyIds, impact });
  },
} satisfies Record<
  View,
  (
    state: AssuranceState,
    query: TraceabilityFilters,
    request: Request,
    assurance: Assurance,
  ) => unknown
>;

function* gapsFrom(...given: Parameters<typeof storiesFrom>): Generator<Placed<StoryGaps>> {
  for (const { item: story, ...place } of storiesFrom(...given)) {
    const gaps = gapsOf(given[0], story);
    if (gaps.length > 0) yield { ...place, item: { story, gaps } };
  }
}

async function paged<T, P extends Pages>(
  assurance: Assurance,
  state: AssuranceState,
  { query, request }: { query: TraceabilityFilters; request: Request },
  itemsFrom: (
    state: AssuranceState,
    walk: Walk,
    key: number,
    query: TraceabilityFilters,
  ) => Iterable<Placed<T>>,
  view: (items: T[]) => Omit<P, 'summary' | 'nextCursor'>,
) {
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
  return tagged<Pages>(state, { summary, ...view(items), nextCursor }, nextLink(request, page));
}

type Pages = Static<typeof CoveragePage | typeof MatrixPage | typeof GapPage | typeof TracePage>;

function tagged<T>({ effective }: AssuranceState, view: T, headers: Record<string, string> = {}) {
  const text = JSON.stringify(view);
  return made<T>({ text, headers, etag: etagOf(effective.revision?.number ?? 0, text) });
}

async function writeTraceability(assurance: Assurance, call: Call, input: TraceabilityInput) {
  const { caller, now } = call;
  const tests = await testsNamedBy(assurance, caller.projectId, input);
  return writeOnState(assurance, call, ['traces'], async (tx, state) => {
    const author = { actor: actorOf(caller), now };
    return ok(await writeTraces(tx, tests ? { ...state, tests } : state, input, author));
  });
}

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
