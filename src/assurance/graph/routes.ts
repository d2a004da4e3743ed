// The route of the graph.

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
  tagged,
} from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { matchesAny } from '../../model/etag.ts';
import { encodeParts, jsonParts } from '../../model/parts.ts';
import { requireOnly } from '../../model/validate.ts';
import { PAGE_POLICY } from '../../requirements/export/html.ts';
import { MEDIA_TYPES, writeElsewhere, writeGraph } from '../../requirements/export/write-graph.ts';
import { diffGraphs, type GraphDiff } from '../../requirements/graph/diff.ts';
import { type Effective, effectiveAt, overlaysOf } from '../../requirements/graph/effective.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import type { Graph } from '../../requirements/graph/model.ts';
import { findOverlay, listOverlays } from '../../requirements/overlay/changes.ts';
import { overlayEtag } from '../../requirements/overlay/model.ts';
import { getBaseline, revisionAsked } from '../../requirements/projects/baselines.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Assurance } from '../assurance.ts';
import { WALK_TEXT } from '../state/walks.ts';
import { verdictCosts } from '../validation/costs.ts';
import { documentTree, readDocument } from './documents.ts';
import { GraphAnswer, GraphQuery } from './model.ts';
import { readNeighbourhood } from './neighbourhood.ts';

const CUTS = ['format', 'root', 'depth', 'kind', 'tag', 'q'];
const TAKEN: Record<NonNullable<GraphQuery['view']>, readonly string[]> = {
  canonical: ['revision', 'baseline', ...CUTS],
  effective: CUTS,
  overlays: ['id', 'state', 'limit', 'cursor'],
  diff: ['from', 'to', 'format'],
  document: ['root', 'at', 'limit', 'cursor'],
};
const OF_NEIGHBOURHOODS = ['with', 'root', 'depth', 'limit'];

const EDGE_EXAMPLE = { from: 'stories.md', to: 'US-12', type: 'contains', status: 'ok' };

const GRAPH_DOCS: OperationDocs = {
  description:
    'The canonical graph of a revision, whole and in source order. `root`, `depth`, `kind`, `tag` and `q` cut it, ' +
    '`format` writes it for other tools. `view=effective` lays the accepted edits and active additions on the latest ' +
    'revision; `view=overlays` lists edits and additions instead, the newest first, by `state`, or one by its `id`. `view=diff` ' +
    'says what was added, removed, moved and changed between two revisions, and which verdicts that costs. `view=document` ' +
    'lists the documents with their figures, and with `root` or `at` what is in one, without the documents in it, each item ' +
    'with where it stands. With `with` the neighbourhood of `root`: what is some steps away along links, and what contains it or is ' +
    `in it. ${WALK_TEXT}`,
  replies: {
    200: {
      description:
        'The graph; or a page of edits and additions, one of them, documents, a page of one, a neighbourhood',
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

export const graphRoutes = (assurance: Served<Assurance>) => {
  // For who asked so before, of latest revisions: a project is known anew with each of them.
  const unchanged = new WeakMap<KnownProject, Reply & { etag: string }>();
  return new Elysia({ name: 'graph', prefix: '/srs-graph' }).use(api(assurance)).get(
    '',
    async ({ query, caller, request }) => {
      requireFit(query);
      if (query.view === 'overlays') return overlays(assurance, query, { caller, request });
      if (query.view === 'diff') return diff(assurance, query, caller);
      if (query.view === 'document') return documents(assurance, query, { caller, request });
      if (query.depth !== undefined && query.root === undefined)
        throw invalid('/depth', 'goes with root');
      if (query.with) return neighbourhood(assurance, query, caller);
      if (query.view === 'effective') return effective(assurance, query, caller);
      const { projectId, project } = caller;
      const number = await revisionAsked(assurance.database.read, projectId, query);
      const revision = await readRevision(assurance, projectId, number);
      const { format = 'json', root, kind, tag, q } = query;
      if (!revision || format !== 'json' || (root ?? kind ?? tag ?? q) !== undefined) {
        return written(assurance, query, project, revision);
      }
      // The bytes of a revision never change.
      const etag = `"${revision.number}-${revision.graphSha256.slice(0, 16)}"`;
      const known = request.headers.get('if-none-match');
      if (known === null || !matchesAny(known, etag))
        return made<GraphAnswer>({ bytes: await assurance.graphs.bytes(revision), etag });
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

/** @throws Problem `invalid` for parameters that say nothing together */
function requireFit({ view, ...others }: GraphQuery): void {
  const isNear = others.with !== undefined && view === undefined;
  if (isNear) requireOnly(others, OF_NEIGHBOURHOODS, 'with');
  else requireOnly(others, TAKEN[view ?? 'canonical'], `view=${view ?? 'canonical'}`);
  if (isNear && others.root === undefined) throw invalid('/root', 'is required beside with');
}

async function effective(requirements: Requirements, query: GraphQuery, caller: Caller) {
  const today = await requirements.effective.of(caller.projectId);
  return written(requirements, query, caller.project, today.revision, today);
}

async function diff(
  { graphs, database, effective, states }: Assurance,
  { from, to, format = 'json' }: GraphQuery,
  { projectId, project }: Caller,
) {
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
    verdicts: verdictCosts(await states.of(projectId), before, after),
  };
  const { revision } = ends[1];
  if (format === 'json') {
    return made<GraphAnswer>(await runInSlices(encodeParts(revision, jsonParts(found))));
  }
  const { writeDiffHtml, writeDiffMarkdown } = await import(
    '../../requirements/export/diff-report.ts'
  );
  const isPage = format === 'html';
  const parts = (isPage ? writeDiffHtml : writeDiffMarkdown)(found, project?.slug ?? '');
  const headers: Record<string, string> = isPage ? { 'Content-Security-Policy': PAGE_POLICY } : {};
  const mediaType = `text/${format}; charset=utf-8`;
  const encoded = await runInSlices(encodeParts(revision, parts));
  return made<GraphAnswer>({ ...encoded, mediaType, headers });
}

async function overlays(
  { database: { read } }: Requirements,
  query: GraphQuery,
  { caller: { projectId }, request }: Pick<Call, 'caller' | 'request'>,
) {
  if (query.id === undefined) {
    const page = await listOverlays(read, projectId, query);
    return ok(page as GraphAnswer, { headers: nextLink(request, page) });
  }
  const one = await findOverlay(read, projectId, query.id);
  if (!one) throw notFound('edit or addition');
  return ok<GraphAnswer>(one, { etag: overlayEtag(one) });
}

async function documents(
  assurance: Assurance,
  query: GraphQuery,
  { caller, request }: Pick<Call, 'caller' | 'request'>,
) {
  const isList = query.root === undefined && query.at === undefined;
  const other = (['limit', 'cursor'] as const).find((name) => query[name] !== undefined);
  if (isList && other)
    throw invalid(`/${other}`, 'goes with root or at: the list of documents is whole');
  if (query.root !== undefined && query.at !== undefined)
    throw invalid('/at', 'stands in the place of root');
  const state = await assurance.states.of(caller.projectId);
  await state.coverage().ready();
  const page = isList ? undefined : await readDocument(assurance, state, query);
  const body: GraphAnswer = page ?? documentTree(state);
  return tagged(state.effective, body, page && nextLink(request, page));
}

async function neighbourhood(
  { states, database }: Assurance,
  query: GraphQuery,
  { projectId }: Caller,
) {
  const state = await states.of(projectId);
  await state.coverage().ready();
  return tagged<GraphAnswer>(state.effective, await readNeighbourhood(database.read, state, query));
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
    ? await writeElsewhere(revision.projectId, async () => ({
        ...how,
        graph: await graphs.ownBytes(revision),
        overlays: today && overlaysOf(today),
      }))
    : await writeGraph(
        today?.index.graph ?? (revision ? await graphs.graph(revision) : EMPTY),
        how,
      );
  return made<GraphAnswer>({ bytes, mediaType: MEDIA_TYPES[format], etag });
}
