// The changes of runs as streams of server-sent events (HTML Living Standard, 9.2). A stream reads on
// from where it is whenever its reader has taken what it was sent: one that lags behind gets the newest
// state of each run. A stream ends with its token, with the service, and where nothing is read of it.
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import { prepared } from '../../store/client/drizzle.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { runStateView } from './model.ts';
import { newestChange } from './rows.ts';

interface StreamOptions {
  projectId: string;
  tokenId: string;
  /** The last change that the caller knows of: it gets the newest state of all runs changed since. */
  after: number | undefined;
  wants: ((run: RunStateRow) => boolean) | undefined;
  isAllowed(now: number): boolean;
  onEnd(): void;
}

interface EventStream extends StreamOptions {
  pulledAt: number;
  wake(): void;
  end(): void;
}

export type RunEvents = ReturnType<typeof openRunEvents>;

const PAGE_SIZE = 200;
const MAX_PAGES = 20;
const COALESCE_MS = 100;
const RETRY_FAILED_MS = 1000;
const QUIET_MS = 15_000;
const CLIENT_RETRY_MS = 2000;
/** Quiet times in which a reader takes a comment at least; the server would cut it off after three. */
const MAX_UNREAD = 2;

interface RunEvent {
  run: RunStateRow;
  text: string;
}

const p = sql.placeholder;

const changedRuns = prepared((db) =>
  db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(and(eq(runStates.projectId, p('projectId')), gt(runStates.change, p('change'))))
    .orderBy(asc(runStates.change))
    .limit(PAGE_SIZE)
    .prepare(),
);

export function openRunEvents(assurance: Assurance) {
  const { database, tokens, clock, limits, log, draining, whenStopping } = assurance;
  const streams = new Set<EventStream>();
  const changedProjects = new Set<string>();
  /** What was read since the last change, for all streams that are at the same place. */
  const pages = new Map<string, Promise<RunEvent[]>>();
  let isDue = false;
  const quietMs = Math.min(QUIET_MS, (limits.idleSeconds * 1000) / 3);

  const timer = setInterval(
    () => {
      const unreadSince = performance.now() - MAX_UNREAD * quietMs;
      for (const stream of streams)
        if (!stream.isAllowed(clock()) || stream.pulledAt < unreadSince) stream.end();
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

  /** To be called after the commit of any change of a project's runs. */
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

  function read(projectId: string, change: number): Promise<RunEvent[]> {
    const key = `${projectId} ${change}`;
    const page =
      pages.get(key) ?? changedRuns(database.read).all({ projectId, change }).then(eventsOf);
    pages.set(key, page);
    if (pages.size > MAX_PAGES) pages.clear();
    return page;
  }

  async function* chunksOf({ projectId, after, wants }: StreamOptions, awake: () => Promise<void>) {
    const newest = await newestChange(database.read, projectId);
    let position = Math.min(after ?? newest, newest);
    yield `retry: ${CLIENT_RETRY_MS}\nid: ${position}\n\n`;
    for (;;) {
      const waking = awake();
      const events = await read(projectId, position).catch((error) => {
        if (!draining()) log.warn({ err: error }, 'changes of runs were not sent; trying again');
        setTimeout(changed, RETRY_FAILED_MS, projectId).unref();
        pages.clear();
        return [];
      });
      position = events.at(-1)?.run.change ?? position;
      const wanted = wants ? events.filter(({ run }) => wants(run)) : events;
      if (wanted.length > 0) yield wanted.map(({ text }) => text).join('');
      if (events.length < PAGE_SIZE && (await waits(waking, quietMs))) yield ':\n\n';
    }
  }

  return {
    changed,
    openedBy: (tokenId: string) => [...streams].filter((one) => one.tokenId === tokenId).length,
    open(options: StreamOptions): ReadableStream<Uint8Array> {
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
      const stream: EventStream = {
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

function eventsOf(rows: Awaited<ReturnType<ReturnType<typeof changedRuns>['all']>>): RunEvent[] {
  return rows.map(({ run, lease }) => {
    const data = JSON.stringify(runStateView(run, lease));
    return { run, text: `id: ${run.change}\nevent: run-state\ndata: ${data}\n\n` };
  });
}

async function waits(waking: Promise<void>, ms: number): Promise<boolean> {
  const quiet = Promise.withResolvers<boolean>();
  const timer = setTimeout(quiet.resolve, ms, true);
  timer.unref();
  try {
    return await Promise.race([quiet.promise, waking.then(() => false)]);
  } finally {
    clearTimeout(timer);
  }
}
