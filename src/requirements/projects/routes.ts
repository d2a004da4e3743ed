// Routes of projects.
import { ACCESS, accessRow, actingCapability } from '../../access/access.ts';
import { actorOf, type Caller, forbiddenFields, requireFields } from '../../access/caller.ts';
import { knownProject, tokenView } from '../../access/tokens.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Context } from '../../http/api/context.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, ok, type Reply } from '../../http/api/reply.ts';
import { decodeCursor, filterHash } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import type { ProjectRow, TokenRow } from '../../store/tables/projects.ts';
import type { RevisionRow, RevisionSourceRow } from '../../store/tables/requirements.ts';
import { prepareImport } from '../import/import-sources.ts';
import type { ImportFile } from '../import/read-sources.ts';
import type { Requirements } from '../requirements.ts';
import { type ProjectWish, projectBody, unchecked } from './body.ts';
import { ProjectBody, ProjectQuery } from './model.ts';
import { createProject, getProject, projectEtag, projectView, updateProject } from './projects.ts';
import {
  latestRevision,
  listRevisions,
  loadSource,
  revisionView,
  sourcesOf,
  sourceView,
} from './revisions.ts';
import { changeTokens } from './tokens.ts';

export function listOwnProject(context: Context) {
  const { database } = context;
  return endpoint({
    docs: async () => (await import('./docs.ts')).PROJECT_DOCS.read,
    query: ProjectQuery,
    async handler({ query, caller }) {
      if (query.id !== undefined && query.id !== caller.projectId) throw notFound('project');
      const row = await getProject(database.read, caller.projectId);
      const latest = await latestRevision(database.read, row.id);
      const sources = latest ? await sourcesOf(database.read, latest) : [];
      const include = new Set(query.include);
      const asker = {
        ...(include.has('caller') ? { caller: callerView(caller) } : {}),
        ...(include.has('tokens') && caller.capability === 'project:owner'
          ? { tokens: context.tokens.list(row.id).map(tokenView) }
          : {}),
      };
      const view = {
        ...projectView(
          row,
          include.has('sources') ? await withContents(context, sources) : sources.map(sourceView),
        ),
        ...(include.has('revisions')
          ? { revisions: (await listRevisions(database.read, row.id)).map(revisionView) }
          : {}),
        ...asker,
      };
      if (query.id !== undefined) return ok(view, { etag: projectEtag(row, sources, asker) });
      decodeCursor(filterHash('listProjects', query), query.cursor);
      return ok({ items: [view], nextCursor: null });
    },
  });
}

/** Who asks, and the operations that it may call. */
function callerView(caller: Caller) {
  const { tokenId, label, capabilities, readOnly, instance } = caller;
  const may = ACCESS.filter((row) => actingCapability(row, caller) !== undefined);
  return {
    ...{ tokenId, label, capabilities: [...capabilities], readOnly, instance },
    operations: may.map(({ operationId }) => operationId),
  };
}

/** Sources with their text, or in base64 where a JSON text could not bring them as they are. */
async function withContents(context: Context, sources: RevisionSourceRow[]) {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return Promise.all(
    sources.map(async (source) => {
      const bytes = Buffer.from((await loadSource(context, source)).buffer);
      const inBase64 = () => ({ contentBase64: bytes.toString('base64') });
      // No text of a body may hold NUL.
      if (bytes.includes(0)) return { ...sourceView(source), ...inBase64() };
      try {
        return { ...sourceView(source), content: utf8.decode(bytes) };
      } catch {
        return { ...sourceView(source), ...inBase64() };
      }
    }),
  );
}

/** What a new revision brings with it, inside the write that adds it. */
export type SettleRevision = (db: Db, revision: RevisionRow, now: number) => Promise<void>;

export function createOrUpdateProject(context: Requirements, settle: SettleRevision) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).PROJECT_DOCS.write,
    body: projectBody,
    slots: 'streams',
    allowFields(body, caller) {
      const fields = unchecked(body);
      const { slug } = fields;
      const own = slug === caller.project?.slug;
      if (!own && !caller.instance && typeof slug === 'string') {
        throw forbiddenFields(['slug'], "a token that is not the instance's");
      }
      requireFields(accessRow('POST /projects'), caller, fields, ProjectBody.properties);
    },
    handler(call) {
      const own = call.body.project.slug === call.caller.project?.slug;
      return own ? updateOwn(context, call, settle) : createAnother(context, call);
    },
  });
}

async function updateOwn(
  context: Requirements,
  call: Call<unknown, ProjectWish>,
  settle: SettleRevision,
): Promise<Reply> {
  const { caller, body } = call;
  const { sources, project } = body;
  if (sources)
    return context.importTurns(caller.projectId, () => importOwn(context, call, sources, settle));
  for (const name of ['mode', 'baseRevision', 'confirm'] as const) {
    if (project[name] !== undefined) throw invalid(`/${name}`, 'goes with sources');
  }
  return writeOwn(context, call);
}

async function importOwn(
  context: Requirements,
  call: Call<unknown, ProjectWish>,
  files: ImportFile[],
  settle: SettleRevision,
): Promise<Reply> {
  const { caller, now } = call;
  const { mode = 'replace', baseRevision, confirm = false, settings } = call.body.project;
  const prepared = await prepareImport(context, {
    ...{ projectId: caller.projectId, files, mode, baseRevision, confirm, settings },
    ...{ actor: actorOf(caller), now },
  });
  try {
    await prepared.readGraph(context.graphs);
    return await writeOwn(context, call, async (db) => {
      const revision = await prepared.write?.(db);
      if (revision) await settle(db, revision, now);
    });
  } finally {
    await prepared.end();
  }
}

/** Writes the caller's project, after what else belongs into the same write. */
async function writeOwn(
  { tokens }: Context,
  call: Call<unknown, ProjectWish>,
  before?: (db: Db) => Promise<void>,
): Promise<Reply> {
  const { caller, now } = call;
  const { project } = call.body;
  let row: ProjectRow | undefined;
  let changed: Awaited<ReturnType<typeof changeTokens>> | undefined;
  const reply = await call.write(async (db) => {
    await before?.(db);
    row = await updateProject(db, caller.projectId, project, actorOf(caller), now);
    if (project.tokens) changed = await changeTokens(db, tokens, caller, project.tokens, now);
    const latest = await latestRevision(db, caller.projectId);
    const sources = latest ? await sourcesOf(db, latest) : [];
    return ok(
      { project: projectView(row, sources.map(sourceView)), ...changed?.made },
      { etag: projectEtag(row, sources) },
    );
  });
  if (row) tokens.rememberProject(knownProject(row));
  changed?.committed();
  return reply;
}

async function createAnother(
  { tokens }: Context,
  call: Call<unknown, ProjectWish>,
): Promise<Reply> {
  const { project: input, sources } = call.body;
  if (sources)
    throw invalid(
      '/sources',
      'go with the slug of a project that is there: its owner imports them',
    );
  if (input.tokens) throw invalid('/tokens', 'goes with the slug of the own project');
  let made: { project: ProjectRow; tokenRow: TokenRow } | undefined;
  const reply = await call.write(async (db) => {
    const result = await createProject(
      db,
      tokens,
      input,
      { label: 'owner', instance: false },
      actorOf(call.caller),
      call.now,
    );
    made = result;
    const { project, token } = result;
    return created({ project: projectView(project, []), token }, `/api/projects?id=${project.id}`, {
      etag: projectEtag(project, []),
    });
  });
  if (made) {
    tokens.rememberProject(knownProject(made.project));
    tokens.remember(made.tokenRow);
  }
  return reply;
}
