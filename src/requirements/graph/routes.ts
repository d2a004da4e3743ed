// The route of the graph.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import type { KnownProject } from '../../access/tokens.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
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
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf, matchesAny } from '../../model/etag.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, oneOf, pageSchema } from '../../model/schemas.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { PAGE_POLICY } from '../export/html.ts';
import { MEDIA_TYPES, writeElsewhere, writeGraph } from '../export/write-graph.ts';
import { findOverlay, listOverlays, OVERLAY_STATES } from '../overlay/changes.ts';
import { Overlay, overlayEtag } from '../overlay/model.ts';
import { getBaseline, revisionAsked } from '../projects/baselines.ts';
import { revisionQuery } from '../projects/model.ts';
import type { Requirements } from '../requirements.ts';
import { NODE_KINDS } from '../sources/model.ts';
import { diffGraphs, GraphDiff } from './diff.ts';
import { type CostsOf, type Effective, effectiveAt, overlaysOf } from './effective.ts';
import { readRevision } from './graphs.ts';
import { type Graph, GraphBody } from './model.ts';

const FORMATS = Object.keys(MEDIA_TYPES) as (keyof typeof MEDIA_TYPES)[];

const GraphQuery = Type.Partial(
  closed({
    view: oneOf(
      ['canonical', 'effective', 'overlays', 'diff'],
      '`effective` lays the accepted overlays on the latest revision, `overlays` lists them all, the newest first; ' +
        '`diff` compares two revisions',
    ),
    ...revisionQuery,
    format: oneOf(
      [...FORMATS, 'html', 'markdown'],
      'What the graph is written as: `json` by default; a `diff` as `html` or `markdown` too',
    ),
    from: Type.String({ description: 'With `view=diff`: a revision or a baseline' }),
    to: Type.String({ description: 'The same; the latest revision by default' }),
    root: Type.String({ description: 'Only what hangs below this node' }),
    depth: Type.Integer({ minimum: 0, maximum: 100_000, description: 'Steps below `root`' }),
    kind: Type.Array(oneOf(NODE_KINDS)),
    tag: Type.Array(Type.String()),
    q: Type.String({
      maxLength: 500,
      description: 'Full text of id, title and statement: words, "phrases", a trailing *',
    }),
    id: Type.String({ description: 'With `view=overlays`: one edit or addition' }),
    state: Type.Array(oneOf(OVERLAY_STATES), { description: 'With `view=overlays`' }),
    limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE }),
    cursor: Type.String({ maxLength: 300 }),
  }),
);
type GraphQuery = Static<typeof GraphQuery>;

const GraphAnswer = Type.Union([
  GraphBody,
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'With `format` needs-json or srs-json: that format',
    },
  ),
  pageSchema('OverlayPage', Overlay),
  Overlay,
  GraphDiff,
]);
type GraphAnswer = Static<typeof GraphAnswer>;

const OF_DIFFS = ['from', 'to'] as const;
const OF_OVERLAYS = ['id', 'state', 'limit', 'cursor'] as const;
const OF_GRAPHS = ['revision', 'baseline', 'format', 'root', 'depth', 'kind', 'tag', 'q'] as const;

const EDGE_EXAMPLE = { from: 'stories.md', to: 'US-12', type: 'contains', status: 'ok' };

const GRAPH_DOCS: OperationDocs = {
  description:
    'The canonical graph of a revision, whole and in source order. `root`, `depth`, `kind`, `tag` and `q` cut it, ' +
    '`format` writes it for other tools. `view=effective` lays the accepted edits and active additions on the latest ' +
    'revision; `view=overlays` lists edits and additions instead, the newest first, by `state`, or one by its `id`. `view=diff` ' +
    'says what was added, removed, moved and changed between two revisions, and which verdicts that costs.',
  replies: {
    200: {
      description: 'The graph; or a page of edits and additions, or one of them',
      example: { revision: 1, nodes: [], edges: [EDGE_EXAMPLE] },
      alsoAs: {
        'text/vnd.graphviz': 'digraph srs {…',
        'text/vnd.mermaid': 'flowchart LR\n…',
        'application/graphml+xml': '<graphml>…',
        'application/xml': '<REQ-IF>…',
        'text/html': '<!doctype html>…',
        'text/markdown': '# Changes of shop…',
      },
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};

export const graphRoutes = (requirements: Served<Requirements>, costsOf: CostsOf) => {
  // For who asked so before, of latest revisions: a project is known anew with each of them.
  const unchanged = new WeakMap<KnownProject, Reply & { etag: string }>();
  return new Elysia({ name: 'graph', prefix: '/srs-graph' }).use(api(requirements)).get(
    '',
    async ({ query, caller, request }) => {
      if (query.view === 'overlays') return overlays(requirements, query, { caller, request });
      if (query.view === 'diff') return diff(requirements, costsOf, query, caller);
      if (OF_DIFFS.some((name) => query[name] !== undefined))
        throw invalid('/view', 'must be diff for these parameters');
      if (OF_OVERLAYS.some((name) => query[name] !== undefined))
        throw invalid('/view', 'must be overlays for these parameters');
      if (query.depth !== undefined && query.root === undefined)
        throw invalid('/depth', 'goes with root');
      if (query.view === 'effective') return effective(requirements, query, caller);
      const { projectId, project } = caller;
      const number = await revisionAsked(requirements.database.read, projectId, query);
      const revision = await readRevision(requirements, projectId, number);
      const { format = 'json', root, kind, tag, q } = query;
      if (!revision || format !== 'json' || (root ?? kind ?? tag ?? q) !== undefined) {
        return written(requirements, query, project, revision);
      }
      // The bytes of a revision never change.
      const etag = `"${revision.number}-${revision.graphSha256.slice(0, 16)}"`;
      const known = request.headers.get('if-none-match');
      if (known === null || !matchesAny(known, etag))
        return made<GraphAnswer>({ bytes: await requirements.graphs.bytes(revision), etag });
      const same = notModified(etag);
      if (project?.revision === revision.number) unchanged.set(project, same);
      return same as unknown as Answered<200, GraphAnswer>;
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

async function effective(requirements: Requirements, query: GraphQuery, caller: Caller) {
  const asked = (['revision', 'baseline'] as const).find((name) => query[name] !== undefined);
  if (asked) throw invalid(`/${asked}`, 'overlays are laid on the latest revision alone');
  const today = await requirements.effective.of(caller.projectId);
  return written(requirements, query, caller.project, today.revision, today);
}

async function diff(
  requirements: Requirements,
  costsOf: CostsOf,
  { view: _view, from, to, format = 'json', ...others }: GraphQuery,
  { projectId, project }: Caller,
) {
  const { graphs, database, effective } = requirements;
  const other = Object.keys(others)[0];
  if (other) throw invalid(`/${other}`, 'does not go with view=diff');
  if (format !== 'json' && format !== 'html' && format !== 'markdown')
    throw invalid('/format', `${format} does not go with view=diff`);
  if (from === undefined) throw invalid('/from', 'is required with view=diff');
  const named = async (text: string, pointer: string) =>
    /^\d+$/.test(text)
      ? { revision: Number(text), baseline: null }
      : {
          revision: (await getBaseline(database.read, projectId, text, pointer)).revision,
          baseline: text,
        };
  const ends = [
    await named(from, '/from'),
    await named(to ?? `${project?.revision ?? 0}`, '/to'),
  ] as const;
  const today = await effective.of(projectId);
  const [before, after] = [
    await effectiveAt(graphs, today, ends[0].revision),
    await effectiveAt(graphs, today, ends[1].revision),
  ];
  const found: GraphDiff = {
    from: ends[0],
    to: ends[1],
    ...(await runInSlices(diffGraphs(before.canonical.graph, after.canonical.graph))),
    verdicts: await costsOf(projectId, before, after),
  };
  const { revision } = ends[1];
  if (format === 'json') {
    const text = JSON.stringify(found);
    return made<GraphAnswer>({ text, etag: etagOf(revision, text) });
  }
  const { writeDiffHtml, writeDiffMarkdown } = await import('../export/diff-report.ts');
  const isPage = format === 'html';
  const text = (isPage ? writeDiffHtml : writeDiffMarkdown)(found, project?.slug ?? '');
  const headers: Record<string, string> = isPage ? { 'Content-Security-Policy': PAGE_POLICY } : {};
  const mediaType = `text/${format}; charset=utf-8`;
  return made<GraphAnswer>({ text, mediaType, headers, etag: etagOf(revision, text) });
}

async function overlays(
  { database: { read } }: Requirements,
  query: GraphQuery,
  { caller: { projectId }, request }: Pick<Call, 'caller' | 'request'>,
) {
  const other = OF_GRAPHS.find((name) => query[name] !== undefined);
  if (other) throw invalid(`/${other}`, 'does not go with view=overlays');
  if (query.id === undefined) {
    const page = await listOverlays(read, projectId, query);
    return ok(page as GraphAnswer, { headers: nextLink(request, page) });
  }
  const one = await findOverlay(read, projectId, query.id);
  if (!one) throw notFound('edit or addition');
  return ok<GraphAnswer>(one, { etag: overlayEtag(one) });
}

const EMPTY: Graph = { nodes: [], edges: [] };

/** A graph of more nodes is written where nobody waits for it. */
const AT_ONCE_NODES = 2000;

async function written(
  { graphs }: Requirements,
  query: GraphQuery,
  project: KnownProject | undefined,
  revision: RevisionRow | undefined,
  today?: Effective,
) {
  const { format = 'json' } = query;
  if (format === 'html' || format === 'markdown')
    throw invalid('/format', `${format} goes with view=diff`);
  const { number, createdAt: at } = revision ?? { number: 0, createdAt: 0 };
  const how = {
    format,
    cut: query,
    subject: { project: project?.slug ?? '', revision: number, at },
  };
  const isLarge = revision !== undefined && revision.nodes > AT_ONCE_NODES;
  const { bytes, etag } = isLarge
    ? await writeElsewhere(revision.projectId, {
        ...how,
        graph: await graphs.bytes(revision),
        overlays: today && overlaysOf(today),
      })
    : await writeGraph(
        today?.index.graph ?? (revision ? await graphs.graph(revision) : EMPTY),
        how,
      );
  return made<GraphAnswer>({ bytes, mediaType: MEDIA_TYPES[format], etag });
}
