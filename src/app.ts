// The whole API on one screen: the probes from the first moment, then every area, under both
// prefixes, and the pages around it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyElysia, Elysia } from 'elysia';
import { PREFIXES } from './access/access.ts';
import { readConfig } from './config.ts';
import { type Evidence, openEvidence } from './evidence/evidence.ts';
import { refusal } from './http/api/access-log.ts';
import { openContext, type Served } from './http/api/context.ts';
import { entry } from './http/api/cors.ts';
import { unrouted } from './http/api/problem.ts';
import { pathOf } from './http/api/request.ts';
import { consolePages } from './http/console/pages.ts';
import { documentPages } from './http/document/docs-pages.ts';
import type { ApiDocument } from './http/document/document.ts';
import { openLog } from './log.ts';
import { metricsPage, probeRoutes } from './operations/probes/routes.ts';
import { openServices } from './services.ts';

type Fetch = (request: Request) => Response | Promise<Response>;

export interface App {
  /** Answers a request; never throws. All but the probes wait until everything is open. */
  fetch: Fetch;
  /** Opens everything; the first request that needs it does so too. */
  open(): Promise<OpenApp>;
}

export interface OpenApp {
  /** Every route there is, to be held against the access table. */
  routes: { method: string; path: string }[];
  /** Brings to an end what a process that died has left half done; to be called once it answers. */
  resume(): Promise<void>;
  /** Counts the statuses of stories where something has changed; never throws. */
  recordStatuses(): Promise<void>;
}

/** The API document, of an application over an empty data folder. */
export async function apiDocument(): Promise<ApiDocument> {
  const [{ deriveDocument }, { openAll, routesOf }] = await Promise.all([
    import('./http/document/document.ts'),
    import('./areas.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'pqrs-document-'));
  const config = readConfig({ flags: { 'data-dir': folder }, environment: {}, folder });
  const services = await openServices({ config, log: openLog('silent', false) });
  try {
    return await deriveDocument(routesOf(openAll(openEvidence(await openContext(services)))));
  } finally {
    await services.close();
    await rm(folder, { recursive: true });
  }
}

export function createApp(services: Served<Evidence>): App {
  const probes = composed(services, probeRoutes(services));
  const early = new Set(probes.routes.map(({ path }) => path));
  let opening: Promise<OpenApp> | undefined;

  async function openAreas(): Promise<OpenApp> {
    // Half of the modules that there are, which a start need not wait for.
    const { openAll, routesOf } = await import('./areas.ts');
    const agents = openAll(services);
    const routes = routesOf(agents);
    const all = composed(services, routes, [
      metricsPage(services),
      consolePages(services.config),
      documentPages(routes),
    ]);
    answer = all.fetch;
    return {
      routes: all.routes.map(({ method, path }) => ({ method, path })),
      async resume() {
        const { resumeRuns } = await import('./agents/recording/settle.ts');
        await resumeRuns(agents).catch((error) =>
          services.log.warn({ err: error }, 'what was left half done waits for the next start'),
        );
      },
      async recordStatuses() {
        for (const { id } of services.tokens.projects()) {
          if (services.draining()) return;
          await agents.recordStatuses(id);
        }
      },
    };
  }

  function open(): Promise<OpenApp> {
    opening ??= openAreas();
    return opening;
  }

  let answer: Fetch = (request) => {
    if (request.method === 'GET' && early.has(pathOf(request))) return probes.fetch(request);
    return open().then(
      () => answer(request),
      (error) => failed(services, error, request),
    );
  };
  return { fetch: (request) => answer(request), open };
}

function composed(
  services: Served<Evidence>,
  routes: AnyElysia,
  pages: readonly AnyElysia[] = [],
): { fetch: Fetch; routes: AnyElysia['routes'] } {
  // Elysia looks for the path behind the shortest host that it takes to be usual, and would look
  // behind the first slash of the path where a host has but three letters (http://nas/).
  const handler = { standardHostname: services.config.tlsCert !== undefined };
  const app = new Elysia({ strictPath: true, normalize: false, handler });
  for (const prefix of PREFIXES) app.group(prefix, (group) => group.use(routes));
  // After the areas, whose handlers answer every error themselves: a route below a handler of errors
  // is composed as an asynchronous function, which costs each request a promise.
  app.onError(({ code, error, request }) =>
    failed(services, code === 'NOT_FOUND' ? unrouted(request) : error, request),
  );
  for (const page of pages) app.use(page);
  // Not `handle`, which makes a promise of every answer.
  const unknown = (request: Request) => failed(services, unrouted(request), request);
  return { fetch: entry(services.cors, app.compile().fetch, unknown), routes: app.routes };
}

function failed({ accessLog }: Served<Evidence>, error: unknown, request: Request): Response {
  return refusal(accessLog, request, error, null);
}
