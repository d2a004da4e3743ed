// The way of every request, as one Elysia plugin: a macro names the row of the access table, and with
// it come identity, capability, rates, strict query and body, and the answer.
import { bearer } from '@elysiajs/bearer';
import { Elysia } from 'elysia';
import { accessRow, type OperationId } from '../../access/access.ts';
import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { nextSlice, type Pause } from '../../runtime/scheduler.ts';
import type { Tx } from '../../store/database.ts';
import type { ReadBody } from './body.ts';
import type { Context } from './context.ts';
import { beginKeyed, type KeyedRequest } from './idempotency.ts';
import { problemResponse, toProblem } from './problem.ts';
import type { Arrival, Route } from './read-body.ts';
import { readBody } from './read-body.ts';
import { type AnyReply, type Reply, toResponse } from './reply.ts';
import { pathOf, requestIdOf, searchOf } from './request.ts';

export interface OperationOptions {
  id: OperationId;
  docs: OperationDocs;
  /** Which limit it counts against: `requests` unless said, `streams` where it may take long. */
  slots?: 'requests' | 'streams' | 'heartbeats' | 'probes';
  /** True where the operation may be open to callers without a token, by a setting. */
  open?: boolean;
  /** Refuses fields by the caller's capability before they are checked. @throws Problem `forbidden` */
  authorizeBody?(body: unknown, caller: Caller): void | Promise<void>;
  /** The 304 of a request without parameters, where it is known at once. */
  ifNoneMatch?(caller: Caller): (Reply & { etag: string }) | undefined;
  /** Makes a replayed answer fit to be sent again. */
  refresh?(reply: Reply, call: Call): Reply | Promise<Reply>;
}

interface HookContext {
  request: Request;
  query: unknown;
  body: unknown;
  params: Record<string, string>;
  responseValue?: unknown;
}

/** What a handler gets of a request beside query, body and params. */
// A type and no interface, which Elysia takes for no record.
export type Call = {
  request: Request;
  requestId: string;
  caller: Caller;
  now: number;
  keyed: KeyedRequest | undefined;
  /**
   * To be called between slices of what may be long; waits where its token has much of that under way.
   * @throws Problem `too_costly` when it has taken too long
   */
  pause: Pause;
  /**
   * Does the operation's effect in one write, and stores its answer under the idempotency key.
   * @param hash - what makes two requests the same, where the handler read the body itself
   */
  write<R extends AnyReply>(work: (db: Tx) => Promise<R>, hash?: string): Promise<R>;
};

const CHEAPER =
  'Cheaper are a shorter time between `since` and `until`, filters and words that leave fewer rows to look at, ' +
  'and a list without `count`.';

const arrivals = new WeakMap<Request, Arrival>();

/** The plugin that each area's routes use; its macro `operation` is what makes a route one of the API. */
export function api(context: Context) {
  const { database, guard, accessLog } = context;

  function arrive(request: Request, route: Route, open: boolean): Arrival {
    const { access } = route;
    const arrival: Arrival = {
      request,
      requestId: requestIdOf(request),
      now: context.clock(),
      began: performance.now(),
      caller: undefined,
      route,
      hash: '',
    };
    arrivals.set(request, arrival);
    context.refuseWhenDraining(access.operationId);
    const anonymous =
      access.allow === 'signature' ||
      (open && context.config.openProbes && !request.headers.has('authorization'));
    arrival.caller = anonymous ? ANONYMOUS : route.admission(request, arrival.now);
    return arrival;
  }

  function end(arrival: Arrival, status: number, problem?: Problem): void {
    const { request, requestId, caller, began, route } = arrival;
    arrival.leave?.();
    arrival.leaveLong?.();
    arrival.keyed?.done();
    const ms = performance.now() - began;
    route.count(status, ms);
    if (status < 400 && !accessLog.logsAll) return;
    const tokenId = caller?.tokenId || problem?.tokenId || null;
    accessLog.record(
      { request, requestId, route: route.access.path, status, ms, tokenId },
      problem,
    );
  }

  function rateHeaders({ caller, request, now }: Arrival) {
    return caller && guard.headersFor(caller, request, now);
  }

  function answer(arrival: Arrival, outcome: unknown): Response {
    const { request, requestId } = arrival;
    const response =
      outcome instanceof Response
        ? outcome
        : toResponse(outcome as Reply, request, requestId, rateHeaders(arrival));
    end(arrival, response.status);
    return response;
  }

  function fail(error: unknown, request: Request): Response {
    const arrival = arrivals.get(request);
    const problem = toProblem(error);
    const response = problemResponse(problem, arrival?.requestId ?? requestIdOf(request));
    if (!arrival) return response;
    for (const [name, value] of Object.entries(rateHeaders(arrival) ?? {})) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    end(arrival, problem.status, problem);
    return response;
  }

  function writeKeyed<R extends AnyReply>(
    { keyed, now }: Arrival,
    work: (db: Tx) => Promise<R>,
    hash: string,
  ): Promise<R> {
    if (!keyed) return database.write(work);
    return database.write(async (db) => {
      const reply = await work(db);
      await keyed.keep(db, hash, reply as unknown as Reply, now);
      return reply;
    });
  }

  async function pause(arrival: Arrival): Promise<void> {
    const { longQueries, limits } = context;
    do {
      await nextSlice();
      if (performance.now() - arrival.began >= limits.queryMs) {
        throw new Problem('too_costly', `${limits.queryMs} ms are over. ${CHEAPER}`, {
          headers: { 'Retry-After': String(Math.ceil(limits.queryMs / 1000)) },
        });
      }
      arrival.leaveLong ??= longQueries.take(arrival.caller as Caller);
    } while (!arrival.leaveLong);
  }

  function callOf(arrival: Arrival): Call {
    const { request, requestId, now, keyed } = arrival;
    return {
      request,
      requestId,
      caller: arrival.caller as Caller,
      now,
      keyed,
      pause: () => pause(arrival),
      write: (work, hash = arrival.hash) => writeKeyed(arrival, work, hash),
    };
  }

  return new Elysia({ name: 'api', normalize: false })
    .use(bearer({ extract: { header: 'Bearer', query: '', body: '' } }))
    .onError({ as: 'scoped' }, ({ error, request }) => fail(error, request))
    .macro({
      operation(options: OperationOptions) {
        const access = accessRow(options.id);
        const route: Route = {
          access,
          admission: guard.admissionTo(access),
          count: context.metrics.counterOf(access.operationId),
        };
        const slots = context[options.slots ?? 'requests'];

        return {
          detail: { operationId: access.operationId, 'x-docs': options.docs },
          // Arrows all: of other functions, once minified, Elysia misreads what they use of the context. The
          // body is read where it is validated: after the caller is admitted and the query is good.
          parse: (_: unknown) => null,
          transform: (it: HookContext) => {
            const arrival = arrive(it.request, route, options.open === true);
            const { caller, request, now } = arrival;
            if (!caller) return;
            it.query = searchOf(request);
            const params = it.params ?? {};
            for (const name in params) if (params[name]?.includes('\0')) params[name] = '';
            if (access.method === 'GET') {
              arrival.leave = slots.enter(caller);
              return;
            }
            if (access.method === 'POST') {
              arrival.keyed = beginKeyed(
                database,
                request,
                caller.tokenId,
                pathOf(request).replace(/^\/api(?:\/v1)?(?=\/)/, ''),
                now,
              );
            }
            it.body = ((reader) =>
              readBody(context, arrival, reader, { ...options, slots })) satisfies ReadBody;
          },
          resolve: ({ request }: HookContext) => callOf(arrivals.get(request) as Arrival),
          beforeHandle: ({ request }: HookContext) => {
            const arrival = arrivals.get(request) as Arrival;
            const caller = arrival.caller as Caller;
            if (arrival.replayed) {
              const replayed = arrival.replayed;
              if (!options.refresh) return answer(arrival, replayed);
              return Promise.resolve(options.refresh(replayed, callOf(arrival))).then((reply) =>
                answer(arrival, reply),
              );
            }
            const same = options.ifNoneMatch?.(caller);
            if (same && request.headers.get('if-none-match') === same.etag && !searchOf(request))
              return answer(arrival, same);
            return undefined;
          },
          afterHandle: ({ request, responseValue }: HookContext) => {
            const arrival = arrivals.get(request) as Arrival;
            // Elysia goes by a handler's text, and takes some that give a promise for synchronous.
            if (!(responseValue instanceof Promise)) return answer(arrival, responseValue);
            return responseValue.then(
              (value) => answer(arrival, value),
              (error) => fail(error, request),
            );
          },
        };
      },
    });
}
