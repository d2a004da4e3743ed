// What every operation works with: the services, and what HTTP adds to them.

import { openTokenRegistry, type TokenRegistry } from '../../access/tokens.ts';
import { Problem } from '../../errors.ts';
import type { Lent } from '../../masking/body.ts';
import type { Services } from '../../services.ts';
import { type KeyedLock, keyedLock } from '../../store/client/keyed-lock.ts';
import { type AccessLog, createAccessLog } from './access-log.ts';
import { createAddressReader, networkOf } from './client-address.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts';
import { type Cors, createCors } from './cors.ts';
import { createGuard, type Guard } from './guard.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createNotices, type Notices } from './notices.ts';

export interface Context extends Services {
  tokens: TokenRegistry;
  guard: Guard;
  notices: Notices;
  cors: Cors;
  metrics: Metrics;
  accessLog: AccessLog;
  /** Requests that are answered at once. */
  requests: ConcurrencyLimit;
  /** Requests that take as long as their content. */
  streams: ConcurrencyLimit;
  /** Signs of life of agents, which must not wait behind others. */
  heartbeats: ConcurrencyLimit;
  probes: ConcurrencyLimit;
  /** Bytes of small bodies that are being received. */
  bodies: ConcurrencyLimit;
  /** Imports of a project, one at a time: each is made on the revision of the one before. */
  importTurns: KeyedLock;
  /** The address of a request's client. */
  addressOf(request: Request): string;
  /** What counts as one client: its address, for IPv6 the /64. */
  networkOf(request: Request): string;
  /** How the server tells the address of a request's connection; set by whoever listens. */
  connection: { peerOf(request: Request): string | undefined };
  /** What is lent to a token now, undefined at once where nothing is; set by what lends. */
  lent: { of(tokenId: string): undefined | Promise<Lent | undefined> };
  /** Logs what a command over the administration's socket is not told. */
  reportFailure(problem: Problem, requestId: string, operation: string): void;
  draining(): boolean;
  /** @throws Problem `unavailable` while the service drains, for all operations but the probes */
  refuseWhenDraining(operation: string): void;
  /** From now on takes no new request. */
  refuseNew(): void;
  /** Calls back once when the service begins to stop: streams are to end, timers too. */
  whenStopping(listener: () => void): () => void;
}

const PROBES: ReadonlySet<string> = new Set(['getReadiness', 'getHealth']);

/** Makes the context of opened services; reads the tokens into memory. */
export async function openContext(services: Services): Promise<Context> {
  const { config, limits, log, clock, database } = services;
  const tokens = await openTokenRegistry(database);
  const connection: Context['connection'] = { peerOf: () => undefined };
  const addressOf = createAddressReader(config.trustedProxies, (request) =>
    connection.peerOf(request),
  );
  const notices = createNotices(clock, (error) =>
    log.warn({ err: error }, 'a notice was not written'),
  );
  const networkOfClient = (request: Request) => networkOf(addressOf(request));
  const metrics = createMetrics();
  const accessLog = createAccessLog(config, log, metrics);
  let draining = false;
  const stopping = new Set<() => void>();
  function stop(): void {
    draining = true;
    for (const listener of [...stopping]) listener();
    stopping.clear();
  }

  return {
    ...services,
    tokens,
    guard: createGuard({
      tokens,
      limits,
      notices,
      demo: config.demo,
      addressOf: networkOfClient,
    }),
    notices,
    cors: createCors(config.corsOrigins),
    metrics,
    accessLog,
    requests: createConcurrencyLimit(limits.requestsInFlight, limits),
    streams: createConcurrencyLimit(limits.streamsInFlight, limits),
    heartbeats: createConcurrencyLimit(limits.heartbeatsInFlight, limits),
    probes: createConcurrencyLimit(limits.probesInFlight, limits),
    bodies: createConcurrencyLimit(limits.bodyBytesInFlight, limits, 'bytes'),
    importTurns: keyedLock(),
    addressOf,
    networkOf: networkOfClient,
    connection,
    lent: { of: () => undefined },
    reportFailure(problem, requestId, operation) {
      const fields = {
        requestId,
        operation,
        status: problem.status,
        err: problem.cause ?? problem,
      };
      log.error(fields, 'a request failed');
    },
    draining: () => draining,
    refuseWhenDraining(operation) {
      if (!draining || PROBES.has(operation)) return;
      throw new Problem('unavailable', 'The service is stopping.', {
        headers: { 'Retry-After': '5' },
      });
    },
    refuseNew: stop,
    whenStopping(listener) {
      stopping.add(listener);
      return () => void stopping.delete(listener);
    },
    async close() {
      stop();
      accessLog.close();
      await tokens
        .flush()
        .catch((error) => log.warn({ err: error }, 'times of last use were not written'));
      await services.close();
    },
  };
}
