// What every operation works with: the services, and what HTTP adds to them.

import { Problem } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { type AccessLog, createAccessLog } from './access-log.ts';
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  createTokenPlaces,
  type TokenPlaces,
} from './concurrency-limit.ts';
import { type Cors, createCors } from './cors.ts';
import { createGuard, type Guard } from './guard.ts';
import { createAddressReader, networkOf } from './request.ts';

export interface Context extends Services {
  guard: Guard;
  cors: Cors;
  accessLog: AccessLog;
  /** Requests that are answered at once. */
  requests: ConcurrencyLimit;
  /** Requests that take as long as their content. */
  streams: ConcurrencyLimit;
  /** Signs of life of agents, which must not wait behind others. */
  heartbeats: ConcurrencyLimit;
  probes: ConcurrencyLimit;
  /** Queries that look at many rows, in slices. */
  longQueries: TokenPlaces;
  /** Bytes of small bodies that are being received. */
  bodies: ConcurrencyLimit;
  /** What counts as one client: its address, for IPv6 the /64. */
  networkOf(request: Request): string;
  /** How the server tells the address of a request's connection; set by whoever listens. */
  connection: { peerOf(request: Request): string | undefined };
  /** Logs what the answer to a command over the administration's socket leaves out. */
  reportFailure(problem: Problem, requestId: string, operation: string): void;
  /** @throws Problem `unavailable` while the service drains, for all operations but the probes */
  refuseWhenDraining(operation: string): void;
}

export type Served<T> = T & Context;

const PROBES: ReadonlySet<string> = new Set(['getReadiness', 'getHealth']);

export function openContext(services: Services): Context {
  const { config, limits, log, tokens, notices, metrics } = services;
  const connection: Context['connection'] = { peerOf: () => undefined };
  const addressOf = createAddressReader(config.trustedProxies, (request) =>
    connection.peerOf(request),
  );
  const networkOfClient = (request: Request) => networkOf(addressOf(request));
  const accessLog = createAccessLog(config, log, metrics);
  return {
    ...services,
    guard: createGuard({
      tokens,
      limits,
      notices,
      demo: config.demo,
      addressOf: networkOfClient,
    }),
    cors: createCors(config.corsOrigins),
    accessLog,
    requests: createConcurrencyLimit(limits.requestsInFlight, limits),
    streams: createConcurrencyLimit(limits.streamsInFlight, limits),
    heartbeats: createConcurrencyLimit(limits.heartbeatsInFlight, limits),
    probes: createConcurrencyLimit(limits.probesInFlight, limits),
    longQueries: createTokenPlaces(limits.longQueriesPerToken),
    bodies: createConcurrencyLimit(limits.bodyBytesInFlight, limits, 'bytes'),
    networkOf: networkOfClient,
    connection,
    reportFailure(problem, requestId, operation) {
      const fields = {
        requestId,
        operation,
        status: problem.status,
        err: problem.cause ?? problem,
      };
      log.error(fields, 'a request failed');
    },
    refuseWhenDraining(operation) {
      if (!services.draining() || PROBES.has(operation)) return;
      throw new Problem('unavailable', 'The service is stopping.', {
        headers: { 'Retry-After': '5' },
      });
    },
    async close() {
      services.refuseNew();
      accessLog.close();
      await services.close();
    },
  };
}
