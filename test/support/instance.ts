// An instance of the application in this process, over a data folder of its own, with a clock that
// can be moved and a log that can be read.

import type { Capability } from '../../src/access/access.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Evidence, openEvidence } from '../../src/evidence/evidence.ts';
import { SERVICE } from '../../src/evidence/logs/entries.ts';
import { openContext, type Served } from '../../src/http/api/context.ts';
import type { Log, LogLevel } from '../../src/log.ts';
import { createProject } from '../../src/requirements/projects/projects.ts';
import { type Listening, listen } from '../../src/runtime/server.ts';
import { openServices } from '../../src/services.ts';
import { memoryLog } from './memory-log.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Instance {
  evidence: Served<Evidence>;
  log: Log;
  logged(): string;
  /** Answers a request to a path with its prefix, as bearer of the token if one is given. */
  fetch(path: string, init?: RequestInit & { token?: string }): Promise<Response>;
  /** Listens on a free port of the loopback address, once. */
  listening(): Promise<Listening>;
  /** Moves the clock on. */
  pass(ms: number): void;
  /** Makes a project; gives its id and the text of its owner token. */
  makeProject(slug: string, settings?: object): Promise<{ id: string; token: string }>;
  /** Makes a token; gives its id and text. */
  makeToken(
    projectId: string,
    capabilities: readonly string[],
    options?: { label?: string; expiresAt?: number; instance?: boolean; readOnly?: boolean },
  ): Promise<{ id: string; text: string }>;
  close(): Promise<void>;
}

/**
 * Opens an instance.
 *
 * @param flags - settings, named like their flags without the hyphens
 * @param options - `dataDir` where it is to be opened again; `logLevel` of what `logged` gives
 */
export async function openInstance(
  flags: Record<string, string | boolean> = {},
  options: { dataDir?: string; logLevel?: LogLevel } = {},
): Promise<Instance> {
  const dataDir = options.dataDir ?? temporaryFolder('data');
  const { log, logged } = memoryLog(options.logLevel ?? 'trace');
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const config = readConfig({
    flags: { 'data-dir': dataDir, 'free-disk-bytes': '0', ...flags },
    environment: {},
    folder: dataDir,
  });
  const services = await openServices({ config, log, clock });
  const evidence = openEvidence(await openContext(services));
  const app = createApp(evidence);
  await app.open();
  let listener: Promise<Listening> | undefined;

  async function startListening(): Promise<Listening> {
    const started = await listen({
      ...{ host: '127.0.0.1', port: 0, tls: undefined, idleSeconds: config.limits.idleSeconds },
      fetch: app.fetch,
    });
    evidence.connection.peerOf = started.peerOf;
    return started;
  }

  return {
    evidence,
    log,
    logged,
    async fetch(path, { token, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      return app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    listening() {
      listener ??= startListening();
      return listener;
    },
    pass(ms) {
      ahead += ms;
    },
    async makeProject(slug, settings = {}) {
      const owner = { label: 'owner', instance: slug === 'default' };
      const made = await evidence.database.write((db) =>
        createProject(db, evidence.tokens, { slug, settings } as never, owner, SERVICE, clock()),
      );
      return { id: made.project.id, token: made.token };
    },
    async makeToken(projectId, capabilities, { label, expiresAt, instance, readOnly } = {}) {
      const wanted = {
        projectId,
        capabilities: capabilities as Capability[],
        label: label ?? capabilities.join(' '),
        expiresAt: expiresAt ?? null,
        instance: instance ?? false,
        readOnly: readOnly ?? false,
      };
      const made = await evidence.database.write((db) =>
        evidence.tokens.issue(db, wanted, clock()),
      );
      return { id: made.row.id, text: made.text };
    },
    async close() {
      await (await listener)?.stop();
      await evidence.close();
    },
  };
}
