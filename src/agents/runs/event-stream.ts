// The answer that never ends: a stream of server-sent events. It ends with the caller's token, with
// the service, and where its reader does not keep up.
import { type Caller, isPublic } from '../../access/caller.ts';
import type { Call } from '../../http/api/endpoint.ts';
import { tooManyAtOnce } from '../../http/api/gate.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { bytesOf, type Follower, type RunEvent } from './events.ts';

export interface EventStreams {
  /**
   * Answers with the changes of the caller's project.
   *
   * @param after - the last change that the caller knows of
   * @param wants - which runs it wants to know of; all where there is none
   * @throws Problem `rate_limited` where too many streams of the token are open, `unavailable` where
   *   too many are in all
   */
  open(
    call: Call<unknown, unknown>,
    after: number | undefined,
    wants: ((run: RunStateRow) => boolean) | undefined,
  ): Response;
}

/** A connection without a byte for this long may be taken to be dead by what stands between. */
const QUIET_MS = 15_000;
const LOOK_MS = 1000;
/** What waits for a reader at most; one that lets more pile up begins anew where it stopped. */
const WAITING_BYTES = 1024 * 1024;
const RETRY_MS = 2000;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(':\n\n');

interface OpenStream extends Follower {
  tokenId: string;
  /** Whether its caller may still read. */
  isAllowed(now: number): boolean;
  saidAt: number;
  leave(): void;
  say(bytes: Uint8Array): void;
  end(): void;
}

/** Makes what opens the streams of an instance, and ends them. */
export function openEventStreams({
  runEvents,
  streams,
  tokens,
  clock,
  limits,
  log,
  whenStopping,
}: Pick<
  Agents,
  'runEvents' | 'streams' | 'tokens' | 'clock' | 'limits' | 'log' | 'whenStopping'
>): EventStreams {
  const opened = new Set<OpenStream>();
  const quietMs = Math.min(QUIET_MS, (limits.idleSeconds * 1000) / 3);
  const lookMs = Math.min(LOOK_MS, quietMs);
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const [now, at] = [clock(), performance.now()];
    for (const stream of opened) {
      if (!stream.isAllowed(now)) stream.end();
      else if (at - stream.saidAt > quietMs - lookMs / 2) stream.say(COMMENT);
    }
  }

  function added(stream: OpenStream): void {
    opened.add(stream);
    timer ??= setInterval(look, lookMs).unref();
  }

  function removed(stream: OpenStream): void {
    if (!opened.delete(stream)) return;
    stream.leave();
    if (opened.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  whenStopping(() => {
    for (const stream of opened) stream.end();
  });
  tokens.onRevoked((tokenId) => {
    for (const stream of opened) if (stream.tokenId === tokenId) stream.end();
  });

  function requireFewer(caller: Caller): void {
    const limit = isPublic(caller) ? limits.eventStreamsPerDemoToken : limits.eventStreamsPerToken;
    const own = [...opened].filter(({ tokenId }) => tokenId === caller.tokenId).length;
    if (own >= limit) throw tooManyAtOnce('event-streams', limit, 'requests');
  }

  return {
    open({ caller, requestId }, after, wants) {
      const { tokenId, projectId, capability } = caller;
      requireFewer(caller);
      const leave = streams.enter(caller);
      let unfollow = (): void => {};
      const isAllowed = (now: number) =>
        tokens.isGood(tokenId, now) &&
        (capability !== 'read:demo' || tokens.project(projectId)?.demo === true);
      const { stream, body } = makeStream({ tokenId, isAllowed, wants, leave }, () => {
        unfollow();
        removed(stream);
      });
      added(stream);
      const begins = (change: number) =>
        stream.say(encoder.encode(`retry: ${RETRY_MS}\nid: ${change}\n\n`));
      runEvents.follow(projectId, stream, after, begins).then(
        (stop) => {
          unfollow = stop;
          if (stream.over) stop();
        },
        (error) => {
          log.warn({ err: error, requestId }, 'a stream of run states could not begin');
          stream.end();
        },
      );
      const headers = {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': requestId,
      };
      return new Response(body, { headers });
    },
  };
}

function makeStream(
  {
    wants,
    ...reader
  }: Pick<OpenStream, 'tokenId' | 'isAllowed' | 'leave'> & {
    wants: ((run: RunStateRow) => boolean) | undefined;
  },
  whenOver: () => void,
): { stream: OpenStream; body: ReadableStream<Uint8Array> } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let idle = false;
  let wake = (): void => {};

  function over(close: boolean): void {
    if (stream.over) return;
    stream.over = true;
    waiting = [];
    if (close) controller?.close();
    wake();
    whenOver();
  }

  const stream: OpenStream & { over: boolean } = {
    ...{ ...reader, saidAt: performance.now(), over: false },
    say(bytes) {
      if (stream.over) return;
      stream.saidAt = performance.now();
      if (idle) {
        idle = false;
        controller?.enqueue(bytes);
        return;
      }
      waiting.push(bytes);
      waitingBytes += bytes.byteLength;
      // One piece may be larger: it is there already, and all readers share it.
      if (waitingBytes > WAITING_BYTES && waiting.length > 1) over(true);
    },
    take(events, bytes) {
      if (!wants) {
        stream.say(bytes);
        return;
      }
      const wanted: RunEvent[] = events.filter(({ run }) => wants(run));
      if (wanted.length > 0) stream.say(bytesOf(wanted));
    },
    ready() {
      if (idle || stream.over) return Promise.resolve();
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    end: () => over(true),
  };
  const body = new ReadableStream<Uint8Array>({
    start(own) {
      controller = own;
    },
    pull(own) {
      const next = waiting.shift();
      if (next) {
        waitingBytes -= next.byteLength;
        own.enqueue(next);
        return;
      }
      idle = true;
      wake();
    },
    cancel: () => over(false),
  });
  return { stream, body };
}
