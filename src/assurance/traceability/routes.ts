// Routes of the traceability.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok, tagged } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import {
  decodeAnchored,
  decodeCursor,
  filterHash,
  PAGE_DEFAULT,
  type Page,
  pageOf,
} from '../../model/pages.ts';
import { encodeParts, type Parts } from '../../model/parts.ts';
import { requireOnly } from '../../model/validate.ts';
import { keysCalled } from '../../quality/reports/test-names.ts';
import { PAGE_POLICY } from '../../requirements/export/html.ts';
import { revisionAsked } from '../../requirements/projects/baselines.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { Assurance } from '../assurance.ts';
import { summarySteps } from '../coverage/coverage.ts';
import { listStatuses, statusPoint } from '../coverage/history.ts';
import { scopeOf } from '../coverage/scope.ts';
import { gapSteps } from '../coverage/story-coverage.ts';
import { storyTrace } from '../coverage/story-links.ts';
import { writeCsv } from '../export/csv.ts';
import { writeHtml } from '../export/html.ts';
import { writeLobster } from '../export/lobster.ts';
import { readGate } from '../gate/gate.ts';
import { impactOf } from '../impact/impact.ts';
import { readOverview } from '../overview/overview.ts';
import { loadResults } from '../results/load-results.ts';
import type { ResultIndex } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, WALK_TEXT, walkThrough } from '../state/walks.ts';
import { writeOnState } from '../state/write-on-state.ts';
import { storyOf } from '../validation/verdicts.ts';
import { readMatrix } from './matrix.ts';
import {
  TraceabilityBody,
  type TraceabilityFilters,
  type TraceabilityInput,
  TraceabilityPage,
  TraceabilityQuery,
  TraceabilityWritten,
} from './model.ts';
import { gapsView, type Placed, storiesFrom, storyFilter, tracesFrom, traceView } from './pages.ts';
import { writeTraces } from './write.ts';

const TRACEABILITY_DOCS = {
  read: {
    description:
      'Where every story stands, in source order. Its status is the first that holds: `failing`, `uncovered` (a need ' +
      'neither met nor justified), `justified`, `suspect` (linked for an earlier text), `stale` (passed for one), ' +
      '`unexecuted`, `validated`, `passing`. What is quarantined covers and does not judge, what is disabled or archived ' +
      'does not cover. `summary` counts every story of the filters once. `view=gate` says whether they may be released, by the ' +
      'rules of a gate of the settings, or by those given here in their place. `view=overview` says that of the whole project ' +
      'by its default gate, and what needs a person, the most urgent first, each with what lists it. `view=statuses` ' +
      'says how many stories had each status at the end of each day, or of each commit (`by`), the newest first: counted when it is ' +
      `asked where they stand, and every ten minutes, once something has changed. ${WALK_TEXT}`,
    replies: {
      200: {
        description:
          'A page of stories, of the matrix, of gaps or traces; or an impact, a gate, an overview, a history',
        alsoAs: { 'text/csv': 'storyId,kind,title,status,…', 'text/html': '<!doctype html>…' },
        headers: ['ETag', 'Link'],
      },
    },
    problems: ['not_found'],
  },
  write: {
    description:
      'Takes traces away, reviews others (they hold for their stories as they are now), adds new ones, and justifies ' +
      'needs, in this order, all or none. Stories and issues must be there; other targets may come after their links.',
    bodyExample: {
      add: [{ storyId: 'US-12', type: 'verifies', target: { kind: 'command', id: 'unit' } }],
    },
    replies: { 200: { description: 'What was changed' } },
    problems: ['conflict'],
  },
} satisfies Record<string, OperationDocs>;

export const traceabilityRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'traceability', prefix: '/project-traceability' })
    .use(api(assurance))
    .get(
      '',
      ({ caller, query, request, pause }) =>
        readTraceability(assurance, { caller, request, pause }, query),
      {
        operation: { id: 'getTraceability', docs: TRACEABILITY_DOCS.read },
        query: queryOf(TraceabilityQuery),
        response: answers({ 200: TraceabilityPage }),
      },
    )
    .post('', (call) => writeTraceability(assurance, call, call.body), {
      operation: { id: 'writeTraceability', docs: TRACEABILITY_DOCS.write },
      query: noQuery,
      body: jsonBody(TraceabilityBody),
      response: answers({ 200: TraceabilityWritten }),
    });

type View = NonNullable<TraceabilityFilters['view']>;
type Format = NonNullable<TraceabilityFilters['format']>;

const STORY_FILTERS = ['storyId', 'status', 'kind', 'tag', 'root', 'baseline', 'inherited'];
const PAGING = ['limit', 'cursor'];
const GATE = ['gate', 'failOn', 'minCoverage', 'maxFlakyRate', 'newFailuresSince'];
const TAKEN: Record<View, readonly string[]> = {
  stories: [...STORY_FILTERS, ...PAGING],
  matrix: [...STORY_FILTERS, 'columns', 'rowFrom', 'columnFrom', 'limit', 'columnLimit', 'summary'],
  gaps: [...STORY_FILTERS, ...PAGING],
  traces: ['id', 'storyId', 'baseline', 'state', 'type', 'targetKind', 'targetId', ...PAGING],
  impact: ['storyId'],
  gate: ['storyId', 'kind', 'tag', 'root', 'baseline', ...GATE],
  overview: [],
  statuses: ['by', ...PAGING],
};
/** @throws Problem `invalid` for parameters that say nothing together */
function requireFit({ view = 'stories', format = 'json', ...filters }: TraceabilityFilters): void {
  if (format !== 'json' && view !== 'stories')
    throw invalid('/format', `${format} does not go with view=${view}`);
  requireOnly(filters, TAKEN[view], `view=${view}`);
  if (format !== 'json') requireOnly(filters, STORY_FILTERS, `format=${format}`);
}

async function readTraceability(
  assurance: Assurance,
  { caller, request, pause }: Pick<Call, 'caller' | 'request' | 'pause'>,
  query: TraceabilityFilters,
) {
  requireFit(query);
  const { projectId } = caller;
  if (query.view === 'statuses') return statusHistory(assurance, projectId, query, request);
  const revision = await revisionAsked(assurance.database.read, projectId, query);
  const state = await assurance.states.of(projectId, revision);
  await state.coverage().ready();
  // Nobody waits for it.
  if (revision === undefined) void assurance.recordStatuses(projectId);
  const { view = 'stories', format = 'json' } = query;
  if (format !== 'json') {
    const headers: Record<string, string> =
      format === 'html' ? { 'Content-Security-Policy': PAGE_POLICY } : {};
    const parts = await writeAs(format, state, query, caller.project?.slug ?? '');
    const version = state.effective.revision?.number ?? 0;
    const encoded = await runInSlices(encodeParts(version, parts), pause);
    return made<Static<typeof TraceabilityPage>>({
      ...encoded,
      headers,
      mediaType: MEDIA_TYPES[format],
    });
  }
  if (view === 'gate')
    return made<Static<typeof TraceabilityPage>>(await readGate(assurance, state, query));
  const answer = (body: object, headers = {}) =>
    tagged(state.effective, body as Static<typeof TraceabilityPage>, headers);
  if (view === 'overview') return answer(await readOverview(assurance, state, caller));
  if (query.id !== undefined) return answer(readTrace(state, query.id));
  if (view === 'impact') return answer(readImpact(state, query));
  if (view === 'matrix') return answer(await readMatrix(state, query));
  const { body, page } = await readPage(assurance, state, view, query);
  const summary = await runInSlices(summarySteps(state, scopeOf(state, query)), pause);
  return answer({ summary, ...body, nextCursor: page.nextCursor }, nextLink(request, page));
}

async function statusHistory(
  { database, recordStatuses }: Assurance,
  projectId: string,
  { by = 'day', cursor, limit = PAGE_DEFAULT }: TraceabilityFilters,
  request: Request,
) {
  await recordStatuses(projectId);
  const filters = filterHash('getTraceability', { view: 'statuses', by });
  const behind = decodeCursor(filters, cursor);
  const rows = await listStatuses(database.read, projectId, by, behind, limit);
  const page = pageOf(rows, limit, filters, ({ seq }) => seq, statusPoint);
  return tagged({ revision: undefined }, page, nextLink(request, page));
}

function readImpact(state: AssuranceState, query: TraceabilityFilters) {
  const storyIds = [...new Set(query.storyId)];
  if (storyIds.length === 0) throw invalid('/storyId', 'is required with view=impact');
  if (!storyIds.every((id) => storyOf(state.effective, id))) throw notFound('story');
  return { storyIds, impact: impactOf(state, storyIds) };
}

function readTrace(state: AssuranceState, id: string) {
  const row = state.traces.find((one) => one.id === id);
  if (!row) throw notFound('trace');
  return traceView(state, storyTrace(state, row));
}

async function readPage(
  assurance: Assurance,
  state: AssuranceState,
  view: Exclude<View, 'impact' | 'gate' | 'matrix' | 'overview' | 'statuses'>,
  query: TraceabilityFilters,
): Promise<{ body: object; page: Page<unknown> }> {
  const filters = filterHash('getTraceability', query);
  const place = placeOfWalk(decodeAnchored(filters, query.cursor));
  const walk = await walkThrough(assurance, state.effective, place);
  const limit = query.limit ?? PAGE_DEFAULT;

  function pageFrom<T>(items: Iterable<Placed<T>>): Page<T> {
    const found: Placed<T>[] = [];
    for (const one of items) {
      if (place && one.key === place.key && one.beside <= place.beside) continue;
      found.push(one);
      if (found.length > limit) break;
    }
    const anchor = ({ beside }: Placed<T>) => anchorOf(walk, beside);
    const keyOf = ({ key }: Placed<T>) => key;
    return pageOf(found, limit, filters, keyOf, ({ item }) => item, anchor);
  }

  const key = place?.key ?? 0;
  if (view === 'traces') {
    const page = pageFrom(tracesFrom(state, walk, key, query));
    return { page, body: { items: page.items.map((one) => traceView(state, one)) } };
  }
  if (view === 'gaps') await runInSlices(gapSteps(state));
  const page = pageFrom(storiesFrom(state, walk, key, query));
  if (view === 'gaps') return { page, body: gapsView(state, page.items) };
  return { page, body: { items: page.items.map(({ traces: _links, ...story }) => story) } };
}

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  lobster: 'application/json',
  html: 'text/html; charset=utf-8',
};

async function writeAs(
  format: Exclude<Format, 'json'>,
  state: AssuranceState,
  query: TraceabilityFilters,
  project: string,
): Promise<Parts> {
  const stories = state.coverage().stories.filter(storyFilter(state, query));
  if (format === 'csv') return writeCsv(stories);
  if (format === 'lobster') return writeLobster(state, stories);
  await runInSlices(gapSteps(state));
  return writeHtml(state, stories, project, scopeOf(state, query));
}

async function writeTraceability(assurance: Assurance, call: Call, input: TraceabilityInput) {
  const { caller, now } = call;
  const tests = await testsNamedBy(assurance, caller.projectId, input);
  return writeOnState(assurance, call, ['traces'], async (tx, state) => {
    const author = { actor: actorOf(caller), now };
    return ok(await writeTraces(tx, tests ? { ...state, tests } : state, input, author));
  });
}

/** The tests that new links name, so that the answer says what they lead to. */
async function testsNamedBy(
  { states, database }: Assurance,
  projectId: string,
  { add = [] }: TraceabilityInput,
): Promise<ResultIndex | undefined> {
  const ids = add.flatMap(({ target }) => (target.kind === 'test' ? keysCalled(target.id) : []));
  const { tests } = await states.of(projectId);
  if (ids.every((id) => tests.wanted.has(id))) return undefined;
  return loadResults(database.read, projectId, new Set([...tests.wanted, ...ids]), tests);
}
