// What every operation works with: the services, and what HTTP adds to them.

import { Problem } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { createAccessLog } from './access-log.ts';
import { createConcurrencyLimit, createTokenPlaces } from './concurrency-limit.ts';
import { createCors } from './cors.ts';
import { createGuard } from './guard.ts';
import { createAddressReader, networkOf } from './request.ts';

export type Context = ReturnType<typeof openContext>;
export type Served<T> = T & Context;

const PROBES: ReadonlySet<string> = new Set(['getReadiness', 'getHealth']);

export function openContext(services: Services) {
  const { config, limits, log, tokens, notices, metrics } = services;
  /** How the server tells the address of a request's connection; set by whoever listens. */
  const connection: { peerOf(request: Request): string | undefined } = { peerOf: () => undefined };
  const addressOf = createAddressReader(config.trustedProxies, (request) =>
    connection.peerOf(request),
  );
  /** What counts as one client: its address, for IPv6 the /64. */
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
    /** Requests that are answered at once. */
    requests: createConcurrencyLimit(limits.requestsInFlight, limits),
    /** Requests that take as long as their content. */
    streams: createConcurrencyLimit(limits.streamsInFlight, limits),
    /** Signs of life of agents, which must not wait behind others. */
    heartbeats: createConcurrencyLimit(limits.heartbeatsInFlight, limits),
    probes: createConcurrencyLimit(limits.probesInFlight, limits),
    /** Queries that look at many rows, in slices. */
    longQueries: createTokenPlaces(limits.longQueriesPerToken),
    /** Bytes of small bodies that are being received. */
    bodies: createConcurrencyLimit(limits.bodyBytesInFlight, limits, 'bytes'),
    networkOf: networkOfClient,
    connection,
    /** Logs what the answer to a command over the administration's socket leaves out. */
    reportFailure(problem: Problem, requestId: string, operation: string): void {
      const fields = {
        requestId,
        operation,
        status: problem.status,
        err: problem.cause ?? problem,
      };
      log.error(fields, 'a request failed');
    },
    /** @throws Problem `unavailable` while the service drains, for all operations but the probes */
    refuseWhenDraining(operation: string): void {
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
