// Routes of the requirements: projects.
import { jsonBody } from '../http/body.ts';
import { forbiddenFields } from '../http/caller.ts';
import type { Context } from '../http/context.ts';
import { endpoint, room } from '../http/endpoint.ts';
import { decodeCursor, filterHash } from '../http/pages.ts';
import { notFound } from '../http/problem.ts';
import { created, ok } from '../http/reply.ts';
import { knownProject } from '../http/tokens.ts';
import type { ProjectRow, TokenRow } from '../store/tables/projects.ts';
import { ProjectBody, ProjectQuery } from './model.ts';
import { PROJECT_DOCS } from './project-docs.ts';
import { createProject, getProject, projectEtag, projectView, updateProject } from './projects.ts';

export function requirementRoutes(context: Context) {
  return room(context, 'requirements', {
    'GET /projects': listOwnProject(context),
    'POST /projects': createOrUpdateProject(context),
  });
}

function listOwnProject({ database }: Context) {
  return endpoint({
    docs: PROJECT_DOCS.read,
    query: ProjectQuery,
    async handler({ query, caller }) {
      if (query.id !== undefined && query.id !== caller.projectId) throw notFound('project');
      const row = await getProject(database.read, caller.projectId);
      const view = {
        ...projectView(row),
        ...(query.include?.includes('revisions') ? { revisions: [] } : {}),
      };
      if (query.id !== undefined) return ok(view, { etag: projectEtag(row) });
      decodeCursor(filterHash('listProjects', query), query.cursor);
      return ok({ items: [view], nextCursor: null });
    },
  });
}

function createOrUpdateProject({ tokens }: Context) {
  return endpoint({
    docs: PROJECT_DOCS.write,
    body: jsonBody(ProjectBody),
    allowFields(body, caller) {
      const slug =
        typeof body === 'object' && body !== null ? (body as { slug?: unknown }).slug : undefined;
      const own = slug === tokens.project(caller.projectId)?.slug;
      if (!own && !caller.instance && typeof slug === 'string') {
        throw forbiddenFields(['slug'], "a token that is not the instance's");
      }
    },
    async handler(call) {
      const { body, caller, now } = call;
      if (body.slug === tokens.project(caller.projectId)?.slug) {
        let row: ProjectRow | undefined;
        const reply = await call.write(async (db) => {
          row = await updateProject(db, caller.projectId, body, now);
          return ok({ project: projectView(row) }, { etag: projectEtag(row) });
        });
        if (row) tokens.rememberProject(knownProject(row));
        return reply;
      }
      let made: { project: ProjectRow; tokenRow: TokenRow } | undefined;
      const reply = await call.write(async (db) => {
        const result = await createProject(
          db,
          tokens,
          body,
          { label: 'owner', instance: false },
          now,
        );
        made = result;
        const { project, token } = result;
        return created({ project: projectView(project), token }, `/api/projects?id=${project.id}`, {
          etag: projectEtag(project),
        });
      });
      if (made) {
        tokens.rememberProject(knownProject(made.project));
        tokens.remember(made.tokenRow);
      }
      return reply;
    },
  });
}
