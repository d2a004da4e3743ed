// Routes of projects.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ACCESS, accessRow, actingCapability } from '../../access/access.ts';
import { actorOf, type Caller, forbiddenFields, requireFields } from '../../access/caller.ts';
import { knownProject, tokenView } from '../../access/tokens.ts';
import { invalid, notFound, notFoundAt } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { bodyOf, parseJson, readJson } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, made, ok } from '../../http/api/reply.ts';
import { gather, readMultipart } from '../../http/files/multipart.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash } from '../../model/pages.ts';
import { pageSchema } from '../../model/schemas.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { Services } from '../../services.ts';
import type { Tx } from '../../store/database.ts';
import type { RevisionSourceRow } from '../../store/tables/requirements.ts';
import { diffGraphs } from '../graph/diff.ts';
import { type CostsOf, effectiveOf } from '../graph/effective.ts';
import { indexSteps } from '../graph/graph-index.ts';
import { type PreparedImport, prepareImport } from '../import/import-sources.ts';
import type { ImportFile } from '../import/read-sources.ts';
import { settleRevision } from '../overlay/settle.ts';
import type { Requirements } from '../requirements.ts';
import { readBackups } from './backups.ts';
import { baselineView, listBaselines, nameRevision } from './baselines.ts';
import { checkProject, fingerprintOf, type ProjectParts, type ProjectRequest } from './input.ts';
import {
  type ImportComparison,
  MAX_SOURCES,
  Project,
  ProjectBody,
  ProjectForm,
  ProjectQuery,
  ProjectReply,
  type SearchHit,
  SearchHitBody,
} from './model.ts';
import {
  changeTokens,
  createProject,
  getProject,
  projectEtag,
  projectView,
  updateProject,
} from './projects.ts';
import {
  latestRevision,
  listRevisions,
  loadSource,
  revisionView,
  sourcesOf,
  sourceView,
} from './revisions.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

const projectBody = bodyOf<ProjectRequest>({
  mediaTypes: ['application/json', 'multipart/form-data'],
  limitOf: (limits) => limits.importBytes,
  parse: (bytes, mediaType, request) =>
    mediaType === 'application/json'
      ? ({ project: readJson(bytes) } satisfies ProjectParts)
      : readForm(bytes, request.headers.get('content-type') ?? ''),
  check: checkProject,
  idempotencyFingerprint: fingerprintOf,
  schemas: { 'application/json': ProjectBody, 'multipart/form-data': ProjectForm },
});

const OF_REVISIONS = ['mode', 'baseRevision', 'dryRun', 'confirm'] as const;

const EXAMPLE = {
  id: 'prj_01k4mz2v9cf8ptw0yq3e6r7h5d',
  slug: 'checkout',
  name: 'Checkout',
  description: 'Basket, payment and receipt of the web shop.',
  settings: DEFAULT_SETTINGS,
  revision: 0,
  sources: [],
  version: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

const MADE = { project: EXAMPLE, token: 'pqrs_<id>_<secret>' };

/** Finds what a project has by a text, the best first. */
export type Search = (caller: Caller, text: string) => Promise<SearchHit[]>;

export const projectRoutes = (
  requirements: Served<Requirements>,
  costsOf: CostsOf,
  search: Search,
) =>
  new Elysia({ name: 'projects', prefix: '/projects' })
    .use(api(requirements))
    .get(
      '',
      ({ caller, query }) =>
        query.search === undefined
          ? readOwn(requirements, caller, query)
          : readHits(search, caller, query),
      {
        operation: {
          id: 'listProjects',
          docs: {
            description:
              'A list with the project of the token alone; `id` answers it bare. `include` adds to it. `search` finds what it has.',
            replies: { 200: { description: 'The project', example: EXAMPLE, headers: ['ETag'] } },
          },
        },
        query: queryOf(ProjectQuery),
        response: answers({
          200: Type.Union([
            pageSchema('ProjectPage', Project),
            Project,
            pageSchema('SearchPage', SearchHitBody),
          ]),
        }),
      },
    )
    .post(
      '',
      async ({ caller, now, write, body }) => {
        const call = { caller, now, write, body };
        if (body.project.slug !== caller.project?.slug) return createAnother(requirements, call);
        const { sources, project } = body;
        if (sources)
          return requirements.importTurns(caller.projectId, () =>
            importOwn(requirements, call, sources, costsOf),
          );
        for (const name of OF_REVISIONS) {
          if (project[name] !== undefined) throw invalid(`/${name}`, 'goes with sources');
        }
        return writeOwn(requirements, call);
      },
      {
        operation: {
          id: 'createProject',
          docs: {
            description:
              'With a new `slug`, a `name` and an owner token of the instance: makes a project and answers its owner token, this ' +
              'once; what goes with sources makes none, and is 404. ' +
              "With the slug of the caller's own: changes it; `settings` is a merge patch, `tokens` makes and ends tokens, and " +
              '`sources`, given as texts or as the files of a form, become the next revision, whole or not at all; the same set ' +
              'makes none. One that would drop more than half of the stories is `409 drops_stories`, with `stories` and ' +
              "`dropped`, unless `confirm` is true. An editor may send sources alone; all else is the owner's, `403` by field.",
            bodyExample: { slug: 'checkout', name: 'Checkout', settings: { retentionDays: 90 } },
            bodyExamples: {
              'multipart/form-data': {
                project: { slug: 'checkout', mode: 'merge' },
                file: ['<the bytes of docs/stories.md>'],
              },
            },
            replies: {
              200: { description: 'The changed project', example: MADE, headers: ['ETag'] },
              201: {
                description: 'The new project and its token',
                example: MADE,
                headers: ['ETag'],
              },
            },
            problems: ['slug_taken', 'drops_stories'],
          },
          slots: 'streams',
          authorizeBody,
        },
        query: noQuery,
        body: projectBody,
        response: answers({ 200: ProjectReply, 201: ProjectReply }),
      },
    );

async function readForm(bytes: Uint8Array, contentType: string): Promise<ProjectParts> {
  const files: ProjectParts['files'] = [];
  let project: unknown;
  const limits = { parts: MAX_SOURCES, totalBytes: bytes.byteLength };
  async function* once() {
    yield bytes;
  }
  for await (const part of readMultipart(once(), contentType, limits)) {
    if (part.fileName === undefined && part.name !== 'project')
      throw part.name === 'file'
        ? invalid('/file', 'has no filename: it is the path of the file')
        : invalid(`/${part.name}`, 'is not a field of this form');
    const content = await gather(part.chunks, bytes.byteLength);
    if (part.name !== 'project') files.push({ path: part.fileName ?? '', bytes: content });
    else if (project === undefined) project = parseJson(content);
    else throw invalid('/project', 'may be given once');
  }
  if (project === undefined) throw invalid('/project', 'is required');
  return { project, files };
}

function authorizeBody(body: unknown, caller: Caller): void {
  const { project } = body as ProjectParts;
  const fields = { ...(typeof project === 'object' ? project : {}) } as { slug?: unknown };
  const own = fields.slug === caller.project?.slug;
  if (!own && !caller.instance && typeof fields.slug === 'string')
    throw forbiddenFields(['slug'], "a token that is not the instance's");
  requireFields(accessRow('createProject'), caller, fields, ProjectBody.properties);
}

async function readHits(
  search: Search,
  caller: Caller,
  { search: text = '', ...others }: Static<typeof ProjectQuery>,
) {
  const [other] = Object.keys(others);
  if (other) throw invalid(`/${other}`, 'does not go with search');
  const found = JSON.stringify({ items: await search(caller, text), nextCursor: null });
  const etag = etagOf(caller.project?.revision ?? 0, found);
  return made<{ items: SearchHit[]; nextCursor: null }>({ text: found, etag });
}

async function readOwn(
  requirements: Requirements,
  caller: Caller,
  query: Static<typeof ProjectQuery>,
) {
  const { read } = requirements.database;
  if (query.id !== undefined && query.id !== caller.projectId) throw notFound('project');
  const row = await getProject(read, caller.projectId);
  const latest = await latestRevision(read, row.id);
  const sources = latest ? await sourcesOf(read, latest) : [];
  const include = new Set(query.include);
  const asker: Pick<Static<typeof Project>, 'caller' | 'tokens' | 'backups'> = {};
  if (include.has('caller')) asker.caller = callerView(caller);
  const isOwner = caller.capability === 'project:owner';
  if (include.has('tokens') && isOwner)
    asker.tokens = requirements.tokens.list(row.id).map(tokenView);
  if (include.has('backups') && isOwner) asker.backups = await readBackups(read);
  const shown = include.has('sources')
    ? await Promise.all(sources.map((source) => withContent(requirements, source)))
    : sources.map(sourceView);
  const view: Static<typeof Project> = { ...projectView(row, shown), ...asker };
  if (include.has('revisions'))
    view.revisions = (await listRevisions(read, row.id)).map(revisionView);
  if (include.has('baselines'))
    view.baselines = (await listBaselines(read, row.id)).map(baselineView);
  if (query.id !== undefined) return ok(view, { etag: projectEtag(row, sources, asker) });
  decodeCursor(filterHash('listProjects', query), query.cursor);
  return ok({ items: [view], nextCursor: null });
}

function callerView(caller: Caller) {
  const { tokenId, label, readOnly, instance } = caller;
  const operations = ACCESS.filter((row) => actingCapability(row, caller) !== undefined).map(
    ({ operationId }) => operationId,
  );
  const capabilities = [...caller.capabilities];
  return { tokenId, label, capabilities, readOnly, instance, operations };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A source with its text, or in base64 where a JSON text could not bring it as it is. */
async function withContent(services: Services, source: RevisionSourceRow) {
  const bytes = Buffer.from((await loadSource(services, source)).buffer);
  try {
    // No text of a body may hold NUL.
    if (!bytes.includes(0)) return { ...sourceView(source), content: utf8.decode(bytes) };
  } catch {}
  return { ...sourceView(source), contentBase64: bytes.toString('base64') };
}

type ProjectCall = Pick<Call, 'caller' | 'now' | 'write'> & { body: ProjectRequest };

async function importOwn(
  requirements: Requirements,
  call: ProjectCall,
  files: ImportFile[],
  costsOf: CostsOf,
) {
  const { caller, now } = call;
  const { mode = 'replace', baseRevision, confirm = false, settings, dryRun } = call.body.project;
  const prepared = await prepareImport(requirements, {
    projectId: caller.projectId,
    files,
    mode,
    baseRevision,
    confirm,
    settings,
    actor: actorOf(caller),
    now,
  });
  try {
    if (dryRun) return await compareOwn(requirements, caller, prepared, costsOf);
    await prepared.readGraph(requirements.graphs);
    return await writeOwn(requirements, call, async (db) => {
      const revision = await prepared.write?.(db);
      if (revision) await settleRevision(db, requirements.graphs, revision, now);
    });
  } finally {
    await prepared.end();
  }
}

/** What an import would change, which makes no revision. */
async function compareOwn(
  requirements: Requirements,
  caller: Caller,
  { revision }: PreparedImport,
  costsOf: CostsOf,
) {
  const { graphs, database, effective } = requirements;
  const row = await getProject(database.read, caller.projectId);
  const latest = await latestRevision(database.read, row.id);
  const sources = latest ? await sourcesOf(database.read, latest) : [];
  const today = await effective.of(row.id);
  const canonical = revision
    ? await runInSlices(indexSteps(await graphs.graph(revision)))
    : today.canonical;
  const change: Static<typeof ImportComparison> = {
    from: { revision: row.revision, baseline: null },
    to: { revision: revision ? row.revision + 1 : row.revision, baseline: null },
    ...(await runInSlices(diffGraphs(today.canonical.graph, canonical.graph))),
    verdicts: await costsOf(row.id, today, effectiveOf({ ...today, canonical })),
    findings: revision ? await graphs.findings(revision) : [],
  };
  return ok({ project: projectView(row, sources.map(sourceView)), change });
}

function writeOwn(
  { tokens }: Requirements,
  { caller, now, write, body: { project } }: ProjectCall,
  before?: (tx: Tx) => Promise<void>,
) {
  return write(async (tx) => {
    await before?.(tx);
    const row = await updateProject(tx, caller.projectId, project, actorOf(caller), now);
    tx.afterCommit(() => tokens.rememberProject(knownProject(row)));
    if (project.baseline)
      await nameRevision(tx, row.id, project.baseline, row.revision, {
        actor: actorOf(caller),
        now,
      });
    const made = project.tokens && (await changeTokens(tx, tokens, caller, project.tokens, now));
    const latest = await latestRevision(tx, caller.projectId);
    const sources = latest ? await sourcesOf(tx, latest) : [];
    const answer = { project: projectView(row, sources.map(sourceView)), ...made };
    return ok(answer, { etag: projectEtag(row, sources) });
  });
}

async function createAnother({ tokens }: Requirements, { caller, now, write, body }: ProjectCall) {
  const { project: input, sources } = body;
  // What goes with a project that is there: its slug has a typing error.
  if (sources || input.baseline || OF_REVISIONS.some((name) => name in input))
    throw notFoundAt('/slug', "is not that of the token's project");
  if (input.tokens) throw invalid('/tokens', "go with the slug of the caller's own project");
  if (input.name === undefined) throw invalid('/name', 'is required of a new project');
  return write(async (tx) => {
    const owner = { label: 'owner', instance: false };
    const made = await createProject(tx, tokens, input, owner, actorOf(caller), now);
    const answer = { project: projectView(made.project, []), token: made.token };
    const etag = projectEtag(made.project, []);
    return created(answer, `/api/projects?id=${made.project.id}`, { etag });
  });
}
