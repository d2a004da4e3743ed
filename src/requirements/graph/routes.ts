// The route of the canonical graph.
import { Type } from '@sinclair/typebox';
import type { KnownProject } from '../../access/tokens.ts';
import { invalid, notFound } from '../../errors.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { nextLink, notModified, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf, matchesAny } from '../../model/etag.ts';
import { PAGE_MOST } from '../../model/pages.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { findOverlay, listOverlays, OVERLAY_STATES } from '../overlay/list.ts';
import { overlayEtag } from '../overlay/views.ts';
import type { Requirements } from '../requirements.ts';
import { NODE_KINDS } from '../sources/model.ts';
import { cutGraph } from './cut.ts';
import { readRevision } from './graphs.ts';
import type { ExportSubject, Graph } from './model.ts';

export const GRAPH_FORMATS = [
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
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest unless told' })),
  format: Type.Optional(oneOf(GRAPH_FORMATS, 'What the graph is written as: `json` unless told')),
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
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MOST })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});

const EMPTY = { revision: 0, nodes: [], edges: [] };

type Writer = (graph: Graph, subject: ExportSubject) => string;

/** Media type and writer of each format; loaded when asked for. */
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

type GraphCall = Call<typeof GraphQuery.static, undefined>;

function isOverlayQuery({ id, state, limit, cursor }: GraphCall['query']): boolean {
  return id !== undefined || state !== undefined || limit !== undefined || cursor !== undefined;
}

function requireRoot({ root, depth }: GraphCall['query']): void {
  if (depth !== undefined && root === undefined) throw invalid('/depth', 'goes with root');
}

export function readGraph(requirements: Requirements) {
  const { graphs } = requirements;
  // For who asked so before, of latest revisions: a project is known anew with each of them.
  const unchanged = new WeakMap<KnownProject, Reply & { etag: string }>();
  return endpoint({
    docs: async () => (await import('./docs.ts')).GRAPH_DOCS,
    query: GraphQuery,
    unchanged: ({ project }) => project && unchanged.get(project),
    handler(call): Promise<Reply> {
      const { query } = call;
      return query.view !== undefined || isOverlayQuery(query) ? viewed(call) : canonical(call);
    },
  });

  function viewed(call: GraphCall): Promise<Reply> {
    const { view = 'canonical', ...query } = call.query;
    if (view === 'overlays') return overlays(call);
    if (isOverlayQuery(query)) throw invalid('/view', 'must be overlays for these parameters');
    if (view === 'canonical') return canonical(call);
    if (query.revision !== undefined)
      throw invalid('/revision', 'overlays are laid on the latest revision alone');
    requireRoot(query);
    return requirements.effective
      .of(call.caller.projectId)
      .then(({ index, revision }) => written(call, revision, index.graph));
  }

  async function overlays({ query, caller, request }: GraphCall): Promise<Reply> {
    const { view: _view, id, state: _state, limit: _limit, cursor: _cursor, ...others } = query;
    for (const [name, value] of Object.entries(others)) {
      if (value !== undefined) throw invalid(`/${name}`, 'does not go with view=overlays');
    }
    const { read } = requirements.database;
    if (id === undefined) {
      const page = await listOverlays(read, caller.projectId, query);
      return ok(page, { headers: nextLink(request, page) });
    }
    const one = await findOverlay(read, caller.projectId, id);
    if (!one) throw notFound('edit or addition');
    return ok(one, { etag: overlayEtag(one) });
  }

  async function canonical(call: GraphCall): Promise<Reply> {
    const { query, request, caller } = call;
    requireRoot(query);
    const revision = await readRevision(requirements, caller.projectId, query.revision);
    const cut = query.root !== undefined || query.kind || query.tag || query.q !== undefined;
    if (!revision || cut || (query.format ?? 'json') !== 'json') return written(call, revision);
    // The bytes of a revision never change.
    const etag = `"${revision.number}-${revision.graphSha256.slice(0, 16)}"`;
    const known = request.headers.get('if-none-match');
    if (known === null || !matchesAny(known, etag))
      return { status: 200, bytes: await graphs.bytes(revision), etag };
    const same = notModified(etag);
    if (caller.project?.revision === revision.number) unchanged.set(caller.project, same);
    return same;
  }

  async function written(
    { query, caller }: GraphCall,
    revision: RevisionRow | undefined,
    effective?: Graph,
  ): Promise<Reply> {
    const graph = effective ?? (revision ? await graphs.graph(revision) : EMPTY);
    if (query.root !== undefined && !graph.nodes.some(({ id }) => id === query.root))
      throw notFound('node');
    const cut = cutGraph(graph, query);
    const number = revision?.number ?? 0;
    const format = query.format ?? 'json';
    if (format === 'json') {
      const text = JSON.stringify({ revision: number, ...cut });
      return { status: 200, text, etag: etagOf(number, text) };
    }
    const [mediaType, load] = WRITERS[format];
    const write = await load();
    const project = caller.project?.slug ?? '';
    const text = write(cut, { project, revision: number, at: revision?.createdAt ?? 0 });
    return ok(undefined, { text, mediaType, etag: etagOf(number, text) });
  }
}
