// The whole API on one screen: every room, under both prefixes, and the pages around it.
import { Elysia } from 'elysia';
import { type Agents, openAgents } from './agents/agents.ts';
import { agentRoutes } from './agents/routes.ts';
import { openAssurance } from './assurance/assurance.ts';
import { assuranceRoutes } from './assurance/routes.ts';
import { settleRevision } from './assurance/settle-revision.ts';
import type { Evidence } from './evidence/evidence.ts';
import { evidenceRoutes } from './evidence/routes.ts';
import { PREFIXES } from './http/access.ts';
import type { ApiDocument } from './http/api-document.ts';
import { documentPages } from './http/docs-pages.ts';
import { frontDoor } from './http/front-door.ts';
import { unrouted } from './http/methods.ts';
import { problemResponse, toProblem } from './http/problem.ts';
import { requestIdOf } from './http/request-id.ts';
import { unopened } from './http/unopened.ts';
import { metricsPage } from './operations/metrics-page.ts';
import { operationRoutes } from './operations/routes.ts';
import { openQuality } from './quality/quality.ts';
import { qualityRoutes } from './quality/routes.ts';
import { openRequirements } from './requirements/requirements.ts';
import { requirementRoutes } from './requirements/routes.ts';

export interface App {
  /** Answers a request; never throws. */
  fetch(request: Request): Response | Promise<Response>;
  /** Every route there is, to be held against the access table. */
  routes: { method: string; path: string }[];
  /** To be called after the commit of test commands that came by another way than the API. */
  commandsChanged(projectId: string): void;
  /** Brings to an end what a process that died has left half done; to be called once it answers. */
  resume(): Promise<void>;
}

/** The rooms of the API, each an Elysia plugin. */
function openRooms(agents: Agents) {
  return [
    requirementRoutes(agents, (db, revision, now) =>
      settleRevision(db, agents.graphs, revision, now),
    ),
    evidenceRoutes(agents),
    qualityRoutes(agents),
    assuranceRoutes(agents),
    agentRoutes(agents),
    operationRoutes(agents),
  ];
}

/** The API document, without any service being opened. */
export async function apiDocument(): Promise<ApiDocument> {
  const { deriveDocument } = await import('./http/api-document.ts');
  return deriveDocument(openRooms(unopened()));
}

/** The application over its opened services. */
export function createApp(services: Evidence): App {
  const agents = openAgents(openAssurance(openQuality(openRequirements(services))));
  const rooms = openRooms(agents);

  // Elysia looks for the path behind the shortest host that it takes to be usual, and would look
  // behind the first slash of the path where a host has but three letters (http://nas/).
  const handler = { standardHostname: services.config.tlsCert !== undefined };
  const app = new Elysia({ strictPath: true, handler });
  for (const prefix of PREFIXES) {
    // What `group` and `use` come to, without the copies that they make of every route on the way.
    for (const { method, path, handler, hooks } of rooms.flatMap((room) => room.routes)) {
      app.route(method, prefix + path, handler, hooks);
    }
  }
  // After the rooms, whose handlers answer every error themselves: a route below a handler of errors
  // is composed as an asynchronous function, which costs each request a promise.
  app.onError(({ code, error, request }) => {
    const problem = code === 'NOT_FOUND' ? unrouted(request) : toProblem(error);
    const requestId = requestIdOf(request);
    if (problem.status >= 500) services.reportFailure(problem, requestId, 'none');
    return problemResponse(problem, requestId);
  });
  app.use(metricsPage(services)).use(documentPages(rooms));
  // Not `handle`, which makes a promise of every answer.
  const { fetch } = app.compile();
  return {
    fetch: frontDoor(services.cors, fetch),
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    commandsChanged: (projectId) => agents.qualityChanges.changed(projectId, 'commands'),
    async resume() {
      // Loaded when it answers, for the sake of the start.
      const { resumeRuns } = await import('./agents/settle-run.ts');
      await resumeRuns(agents).catch((error) =>
        services.log.warn({ err: error }, 'what was left half done waits for the next start'),
      );
    },
  };
}
