// Streams of server-sent events (HTML Living Standard, 9.2). A stream reads on from where it is whenever its
// reader has taken what it was sent, so that one that lags behind holds nothing up. It ends with its token, with
// the service, and where nothing is read of it.
import type { Log } from '../log.ts';

interface StreamServices {
  tokens: { onRevoked(listener: (tokenId: string) => void): void };
  clock(): number;
  limits: { idleSeconds: number };
  log: Log;
  draining(): boolean;
  whenStopping(listener: () => void): void;
}

export interface StreamEvent<R> {
  position: number;
  row: R;
  text: string;
}

interface EventSource<R> {
  /** What is streamed, for the log. */
  name: string;
  newest(projectId: string): Promise<number>;
  /** The events behind a position: a page of them, fewer where there are no more. */
  read(projectId: string, position: number): Promise<StreamEvent<R>[]>;
  /** Looked at every second: not all that writes says so. */
  isPolled?: boolean;
}

interface StreamOptions<R> {
  projectId: string;
  tokenId: string;
  /** The last event that the caller knows of. */
  after: number | undefined;
  wants: ((row: R) => boolean) | undefined;
  isAllowed(now: number): boolean;
  onEnd(): void;
}

interface EventStream<R> extends StreamOptions<R> {
  pulledAt: number;
  wake(): void;
  end(): void;
}

export type EventStreams<R> = ReturnType<typeof openEventStreams<R>>;

export const EVENTS_READ = 200;
const MAX_PAGES = 20;
const COALESCE_MS = 100;
const RETRY_FAILED_MS = 1000;
const QUIET_MS = 15_000;
const CLIENT_RETRY_MS = 2000;
/** Quiet times in which a reader takes a comment at least; the server would cut it off after three. */
const MAX_UNREAD = 2;

export function openEventStreams<R>(services: StreamServices, source: EventSource<R>) {
  const { tokens, clock, limits, log, draining, whenStopping } = services;
  const streams = new Set<EventStream<R>>();
  const changedProjects = new Set<string>();
  /** What was read since the last change, for all streams that are at the same place. */
  const pages = new Map<string, Promise<StreamEvent<R>[]>>();
  let isDue = false;
  const quietMs = Math.min(QUIET_MS, (limits.idleSeconds * 1000) / 3);

  const timer = setInterval(
    () => {
      const unreadSince = performance.now() - MAX_UNREAD * quietMs;
      for (const stream of streams) {
        if (!stream.isAllowed(clock()) || stream.pulledAt < unreadSince) stream.end();
        else if (source.isPolled) changed(stream.projectId);
      }
    },
    Math.min(1000, quietMs),
  );
  timer.unref();
  whenStopping(() => {
    clearInterval(timer);
    for (const stream of streams) stream.end();
  });
  tokens.onRevoked((tokenId) => {
    for (const stream of streams) if (stream.tokenId === tokenId) stream.end();
  });

  /** To be called after the commit of anything that makes events of a project. */
  function changed(projectId: string): void {
    // A stream that opens after this must not be given what was read before it.
    pages.clear();
    if (streams.size === 0) return;
    changedProjects.add(projectId);
    if (isDue) return;
    isDue = true;
    setTimeout(deliver, COALESCE_MS).unref();
  }

  function deliver(): void {
    isDue = false;
    // Again: a page may have been read between the call and its commit.
    pages.clear();
    for (const stream of streams) if (changedProjects.has(stream.projectId)) stream.wake();
    changedProjects.clear();
  }

  function read(projectId: string, position: number): Promise<StreamEvent<R>[]> {
    const key = `${projectId} ${position}`;
    const page = pages.get(key) ?? source.read(projectId, position);
    pages.set(key, page);
    if (pages.size > MAX_PAGES) pages.clear();
    return page;
  }

  async function* chunksOf(
    { projectId, after, wants }: StreamOptions<R>,
    awake: () => Promise<void>,
  ) {
    const newest = await source.newest(projectId);
    let position = Math.min(after ?? newest, newest);
    yield `retry: ${CLIENT_RETRY_MS}\nid: ${position}\n\n`;
    let sentAt = performance.now();
    for (;;) {
      const waking = awake();
      const events = await read(projectId, position).catch((error) => {
        if (!draining()) log.warn({ err: error }, `${source.name} were not sent; trying again`);
        setTimeout(changed, RETRY_FAILED_MS, projectId).unref();
        pages.clear();
        return [];
      });
      position = events.at(-1)?.position ?? position;
      const wanted = wants ? events.filter(({ row }) => wants(row)) : events;
      const isQuiet = performance.now() - sentAt >= quietMs;
      if (wanted.length > 0 || isQuiet) {
        yield wanted.map(({ text }) => text).join('') || ':\n\n';
        sentAt = performance.now();
      }
      const left = sentAt + quietMs - performance.now();
      if (events.length < EVENTS_READ) await waits(waking, Math.max(left, 0));
    }
  }

  return {
    changed,
    openedBy: (tokenId: string) => [...streams].filter((one) => one.tokenId === tokenId).length,
    open(options: StreamOptions<R>): ReadableStream<Uint8Array> {
      const encoder = new TextEncoder();
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      let waking = Promise.withResolvers<void>();
      const chunks = chunksOf(options, () => {
        waking = Promise.withResolvers();
        return waking.promise;
      });
      const finish = () => {
        if (!streams.delete(stream)) return;
        waking.resolve();
        options.onEnd();
      };
      const stream: EventStream<R> = {
        ...options,
        pulledAt: performance.now(),
        wake: () => waking.resolve(),
        end() {
          if (streams.has(stream)) controller.close();
          finish();
        },
      };
      streams.add(stream);
      return new ReadableStream({
        start(own) {
          controller = own;
        },
        async pull() {
          stream.pulledAt = performance.now();
          try {
            const { value } = await chunks.next();
            if (streams.has(stream)) controller.enqueue(encoder.encode(value as string));
          } catch (error) {
            finish();
            throw error;
          }
        },
        cancel: finish,
      });
    },
  };
}

async function waits(waking: Promise<void>, ms: number): Promise<void> {
  const quiet = Promise.withResolvers<void>();
  const timer = setTimeout(quiet.resolve, ms);
  timer.unref();
  try {
    await Promise.race([quiet.promise, waking]);
  } finally {
    clearTimeout(timer);
  }
}
