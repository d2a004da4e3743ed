// Routes of projects.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ACCESS, accessRow, actingCapability } from '../../access/access.ts';
import { actorOf, type Caller, forbiddenFields, requireFields } from '../../access/caller.ts';
import { knownProject, tokenView } from '../../access/tokens.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { bodyOf, parseJson, readJson } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, ok } from '../../http/api/reply.ts';
import { MULTIPART_LIMITS, readMultipart } from '../../http/files/multipart.ts';
import { pageSchema } from '../../model/answer-schemas.ts';
import { decodeCursor, filterHash } from '../../model/pages.ts';
import type { Services } from '../../services.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { RevisionRow, RevisionSourceRow } from '../../store/tables/requirements.ts';
import { prepareImport } from '../import/import-sources.ts';
import type { ImportFile } from '../import/read-sources.ts';
import type { Requirements } from '../requirements.ts';
import { PROJECT_DOCS } from './docs.ts';
import { checkProject, Form, fingerprintOf, type ProjectRequest, unchecked } from './input.ts';
import { MAX_SOURCES, ProjectBody, ProjectForm, ProjectQuery } from './model.ts';
import { createProject, getProject, projectEtag, projectView, updateProject } from './projects.ts';
import {
  latestRevision,
  listRevisions,
  loadSource,
  revisionView,
  sourcesOf,
  sourceView,
} from './revisions.ts';
import { Project, ProjectReply } from './schemas.ts';
import { changeTokens } from './tokens.ts';

/** What a new revision brings with it, inside the write that adds it. */
export type SettleRevision = (db: Db, revision: RevisionRow, now: number) => Promise<void>;

const projectBody = bodyOf<ProjectRequest>({
  mediaTypes: ['application/json', 'multipart/form-data'],
  limitOf: (limits) => limits.importBytes,
  parse: (bytes, mediaType, request) =>
    mediaType === 'application/json'
      ? readJson(bytes)
      : readForm(bytes, request.headers.get('content-type') ?? ''),
  check: checkProject,
  idempotencyFingerprint: fingerprintOf,
  schemas: { 'application/json': ProjectBody, 'multipart/form-data': ProjectForm },
});

/** @param settle - what is to be done with every new revision */
export const projectRoutes = (requirements: Served<Requirements>, settle: SettleRevision) =>
  new Elysia({ name: 'projects', prefix: '/projects' })
    .use(api(requirements))
    .get('', ({ caller, query }) => readOwn(requirements, caller, query), {
      operation: { id: 'listProjects', docs: PROJECT_DOCS.read },
      query: queryOf(ProjectQuery),
      response: answers({ 200: Type.Union([pageSchema('ProjectPage', Project), Project]) }),
    })
    .post(
      '',
      async ({ caller, now, write, body }) => {
        const own = body.project.slug === caller.project?.slug;
        const call = { caller, now, write, body };
        return own ? updateOwn(requirements, call, settle) : createAnother(requirements, call);
      },
      {
        operation: {
          id: 'createProject',
          docs: PROJECT_DOCS.write,
          slots: 'streams',
          authorizeBody,
        },
        query: noQuery,
        body: projectBody,
        response: answers({ 200: ProjectReply, 201: ProjectReply }),
      },
    );

async function readForm(bytes: Uint8Array, contentType: string): Promise<Form> {
  const form = new Form();
  const limits = {
    ...MULTIPART_LIMITS,
    parts: MAX_SOURCES,
    fieldBytes: 1024 * 1024,
    totalBytes: bytes.byteLength,
  };
  for await (const part of readMultipart(once(bytes), contentType, limits)) {
    if (part.kind === 'field') {
      if (part.name === 'file')
        throw invalid('/file', 'has no filename: it is the path of the file');
      if (part.name !== 'project') throw invalid(`/${part.name}`, 'is not a field of this form');
      if (form.project !== undefined) throw invalid('/project', 'may be given once');
      form.project = parseJson(Buffer.from(part.value));
    } else if (part.name === 'project') {
      form.project = parseJson(await gather(part.chunks));
    } else form.files.push({ path: part.fileName ?? '', bytes: await gather(part.chunks) });
  }
  if (form.project === undefined) throw invalid('/project', 'is required');
  return form;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  // A part that came in one piece is not copied.
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
}

function authorizeBody(body: unknown, caller: Caller): void {
  const fields = unchecked(body);
  const own = fields.slug === caller.project?.slug;
  if (!own && !caller.instance && typeof fields.slug === 'string')
    throw forbiddenFields(['slug'], "a token that is not the instance's");
  // What stands in a form has not been checked by itself.
  requireFields(accessRow('createProject'), caller, fields, ProjectBody.properties);
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
  const asker = {
    ...(include.has('caller') ? { caller: callerView(caller) } : {}),
    ...(include.has('tokens') && caller.capability === 'project:owner'
      ? { tokens: requirements.tokens.list(row.id).map(tokenView) }
      : {}),
  };
  const shown = include.has('sources')
    ? await Promise.all(sources.map((source) => withContent(requirements, source)))
    : sources.map(sourceView);
  const view = {
    ...projectView(row, shown),
    ...(include.has('revisions')
      ? { revisions: (await listRevisions(read, row.id)).map(revisionView) }
      : {}),
    ...asker,
  };
  if (query.id !== undefined) return ok(view, { etag: projectEtag(row, sources, asker) });
  decodeCursor(filterHash('listProjects', query), query.cursor);
  return ok({ items: [view], nextCursor: null });
}

function callerView(caller: Caller) {
  const { tokenId, label, readOnly, instance } = caller;
  const capabilities = [...caller.capabilities];
  const operations = ACCESS.filter((row) => actingCapability(row, caller) !== undefined).map(
    ({ operationId }) => operationId,
  );
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

async function updateOwn(requirements: Requirements, call: ProjectCall, settle: SettleRevision) {
  const { caller, body } = call;
  const { sources, project } = body;
  if (sources)
    return requirements.importTurns(caller.projectId, () =>
      importOwn(requirements, call, sources, settle),
    );
  for (const name of ['mode', 'baseRevision', 'confirm'] as const) {
    if (project[name] !== undefined) throw invalid(`/${name}`, 'goes with sources');
  }
  return writeOwn(requirements, call);
}

async function importOwn(
  requirements: Requirements,
  call: ProjectCall,
  files: ImportFile[],
  settle: SettleRevision,
) {
  const { caller, now } = call;
  const { mode = 'replace', baseRevision, confirm, settings } = call.body.project;
  const prepared = await prepareImport(requirements, {
    projectId: caller.projectId,
    files,
    mode,
    baseRevision,
    confirm: confirm ?? false,
    settings,
    actor: actorOf(caller),
    now,
  });
  try {
    await prepared.readGraph(requirements.graphs);
    return await writeOwn(requirements, call, async (db) => {
      const revision = await prepared.write?.(db);
      if (revision) await settle(db, revision, now);
    });
  } finally {
    await prepared.end();
  }
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
    const made = project.tokens && (await changeTokens(tx, tokens, caller, project.tokens, now));
    const latest = await latestRevision(tx, caller.projectId);
    const sources = latest ? await sourcesOf(tx, latest) : [];
    const answer = { project: projectView(row, sources.map(sourceView)), ...made };
    return ok(answer, { etag: projectEtag(row, sources) });
  });
}

async function createAnother({ tokens }: Requirements, { caller, now, write, body }: ProjectCall) {
  const { project: input, sources } = body;
  if (sources)
    throw invalid(
      '/sources',
      'go with the slug of a project that is there: its owner imports them',
    );
  if (input.tokens) throw invalid('/tokens', 'goes with the slug of the own project');
  return write(async (tx) => {
    const owner = { label: 'owner', instance: false };
    const made = await createProject(tx, tokens, input, owner, actorOf(caller), now);
    const { project, token } = made;
    return created({ project: projectView(project, []), token }, `/api/projects?id=${project.id}`, {
      etag: projectEtag(project, []),
    });
  });
}
