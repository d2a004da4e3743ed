// The route of the canonical graph.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import type { KnownProject } from '../../access/tokens.ts';
import { invalid, notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import {
  type Answered,
  answers,
  made,
  nextLink,
  notModified,
  ok,
  type Reply,
} from '../../http/api/reply.ts';
import { etagOf, matchesAny } from '../../model/etag.ts';
import { MAX_PAGE_SIZE, type Page } from '../../model/pages.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { findOverlay, listOverlays, OVERLAY_STATES } from '../overlay/list.ts';
import type { Overlay } from '../overlay/schemas.ts';
import { overlayEtag } from '../overlay/views.ts';
import type { Requirements } from '../requirements.ts';
import { NODE_KINDS } from '../sources/model.ts';
import { cutGraph } from './cut.ts';
import { GRAPH_DOCS } from './docs.ts';
import { readRevision } from './graphs.ts';
import type { ExportSubject, Graph } from './model.ts';
import { GraphAnswer, type GraphBody } from './schemas.ts';

const GRAPH_FORMATS = [
  'json',
  'dot',
  'mermaid',
  'graphml',
  'needs-json',
  'srs-json',
  'reqif',
] as const;

const GraphQuery = closed({
  view: Type.Optional(
    oneOf(
      ['canonical', 'effective', 'overlays'],
      '`effective` lays the accepted overlays on the latest revision, `overlays` lists them all, the newest first',
    ),
  ),
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest by default' })),
  format: Type.Optional(oneOf(GRAPH_FORMATS, 'What the graph is written as: `json` by default')),
  root: Type.Optional(Type.String({ description: 'Only what hangs below this node' })),
  depth: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Steps below `root`, with which it goes',
    }),
  ),
  kind: Type.Optional(Type.Array(oneOf(NODE_KINDS))),
  tag: Type.Optional(Type.Array(Type.String())),
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Full text of id, title and statement: words, "phrases", a trailing *',
    }),
  ),
  id: Type.Optional(Type.String({ description: 'With `view=overlays`: one edit or addition' })),
  state: Type.Optional(
    Type.Array(oneOf(OVERLAY_STATES), { description: 'With `view=overlays`: those in a state' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});

const EMPTY = { revision: 0, nodes: [], edges: [] };

type Writer = (graph: Graph, subject: ExportSubject) => string;

const WRITERS: Record<
  Exclude<(typeof GRAPH_FORMATS)[number], 'json'>,
  [string, () => Promise<Writer>]
> = {
  dot: ['text/vnd.graphviz', async () => (await import('../export/diagrams.ts')).writeDot],
  mermaid: ['text/vnd.mermaid', async () => (await import('../export/diagrams.ts')).writeMermaid],
  graphml: [
    'application/graphml+xml',
    async () => (await import('../export/graphml.ts')).writeGraphml,
  ],
  'needs-json': [
    'application/json',
    async () => (await import('../export/needs-json.ts')).writeNeedsJson,
  ],
  'srs-json': [
    'application/json',
    async () => (await import('../export/srs-json.ts')).writeSrsJson,
  ],
  reqif: ['application/xml', async () => (await import('../export/reqif.ts')).writeReqif],
};

type GraphQuery = Static<typeof GraphQuery>;
type OverlayBody = Static<typeof Overlay>;
type GraphReply = Answered<200, Static<typeof GraphAnswer>>;

function isOverlayQuery({ id, state, limit, cursor }: GraphQuery): boolean {
  return id !== undefined || state !== undefined || limit !== undefined || cursor !== undefined;
}

function requireRoot({ root, depth }: GraphQuery): void {
  if (depth !== undefined && root === undefined) throw invalid('/depth', 'goes with root');
}

export const graphRoutes = (requirements: Served<Requirements>) => {
  // For who asked so before, of latest revisions: a project is known anew with each of them.
  const unchanged = new WeakMap<KnownProject, Reply & { etag: string }>();
  return new Elysia({ name: 'graph', prefix: '/srs-graph' }).use(api(requirements)).get(
    '',
    ({ query, caller, request }) => {
      if (query.view === 'overlays')
        return overlays(requirements, query, caller.projectId, request);
      if (isOverlayQuery(query)) throw invalid('/view', 'must be overlays for these parameters');
      return query.view === 'effective'
        ? effective(requirements, query, caller)
        : canonical(requirements, query, caller, request, unchanged);
    },
    {
      operation: {
        id: 'getSrsGraph',
        docs: GRAPH_DOCS,
        ifNoneMatch: ({ project }: Caller) => project && unchanged.get(project),
      },
      query: queryOf(GraphQuery),
      response: answers({ 200: GraphAnswer }),
    },
  );
};

async function canonical(
  requirements: Requirements,
  query: GraphQuery,
  { project, projectId }: Caller,
  request: Request,
  unchanged: WeakMap<KnownProject, Reply & { etag: string }>,
): Promise<GraphReply> {
  const { graphs } = requirements;
  requireRoot(query);
  const revision = await readRevision(requirements, projectId, query.revision);
  const cut = query.root !== undefined || query.kind || query.tag || query.q !== undefined;
  if (!revision || cut || (query.format ?? 'json') !== 'json')
    return written(query, project, revision, revision ? await graphs.graph(revision) : EMPTY);
  // The bytes of a revision never change.
  const etag = `"${revision.number}-${revision.graphSha256.slice(0, 16)}"`;
  const known = request.headers.get('if-none-match');
  if (known === null || !matchesAny(known, etag))
    return made<Static<typeof GraphBody>>({ bytes: await graphs.bytes(revision), etag });
  const same = notModified(etag);
  if (project?.revision === revision.number) unchanged.set(project, same);
  return same as unknown as GraphReply;
}

async function effective(
  requirements: Requirements,
  query: GraphQuery,
  { project, projectId }: Caller,
): Promise<GraphReply> {
  if (query.revision !== undefined)
    throw invalid('/revision', 'overlays are laid on the latest revision alone');
  requireRoot(query);
  const { index, revision } = await requirements.effective.of(projectId);
  return written(query, project, revision, index.graph);
}

async function overlays(
  { database: { read } }: Requirements,
  query: GraphQuery,
  projectId: string,
  request: Request,
): Promise<GraphReply> {
  const { view: _view, id, state: _state, limit: _limit, cursor: _cursor, ...others } = query;
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw invalid(`/${name}`, 'does not go with view=overlays');
  }
  if (id === undefined) {
    const page = await listOverlays(read, projectId, query);
    return ok(page as Page<OverlayBody>, { headers: nextLink(request, page) });
  }
  const one = await findOverlay(read, projectId, id);
  if (!one) throw notFound('edit or addition');
  return ok(one as OverlayBody, { etag: overlayEtag(one) });
}

async function written(
  query: GraphQuery,
  project: KnownProject | undefined,
  revision: RevisionRow | undefined,
  graph: Graph,
): Promise<GraphReply> {
  if (query.root !== undefined && !graph.nodes.some(({ id }) => id === query.root))
    throw notFound('node');
  const cut = cutGraph(graph, query);
  const { number, createdAt } = revision ?? { number: 0, createdAt: 0 };
  const format = query.format ?? 'json';
  if (format === 'json') {
    const text = JSON.stringify({ revision: number, ...cut });
    return made<Static<typeof GraphBody>>({ text, etag: etagOf(number, text) });
  }
  const [mediaType, load] = WRITERS[format];
  const write = await load();
  const text = write(cut, { project: project?.slug ?? '', revision: number, at: createdAt });
  return made<Static<typeof GraphAnswer>>({ text, mediaType, etag: etagOf(number, text) });
}
