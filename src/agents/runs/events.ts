// The changes of runs as streams of server-sent events. A page of changes is read from the database
// once after it is committed, encoded once, and sent to all streams of its project. A stream ends with
// its token, with the service, and where its reader does not keep up.
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import { prepared } from '../../store/client/prepared.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { newestChange } from './rows.ts';
import { runStateView } from './view.ts';

export interface StreamOptions {
  projectId: string;
  tokenId: string;
  /** The last change that the caller knows of: it gets the newest state of all runs changed since. */
  after: number | undefined;
  /** Which runs it is about; all where undefined. */
  wants: ((run: RunStateRow) => boolean) | undefined;
  isAllowed(now: number): boolean;
  onEnd(): void;
}

export interface RunEvents {
  /** To be called after the commit of any change of a project's runs. */
  changed(projectId: string): void;
  openedBy(tokenId: string): number;
  open(options: StreamOptions): ReadableStream<Uint8Array>;
}

const PAGE_SIZE = 200;
const COALESCE_MS = 100;
const RETRY_FAILED_MS = 1000;
const QUIET_MS = 15_000;
const MAX_WAITING_BYTES = 2 * 1024 * 1024;
const CLIENT_RETRY_MS = 2000;

interface RunEvent {
  run: RunStateRow;
  text: string;
}

interface EventStream extends StreamOptions {
  position: number;
  sentAt: number;
  over: boolean;
  body: ReadableStream<Uint8Array>;
  send(bytes: Uint8Array): void;
  /** Sends those of the events that it wants and has not; `all` are their bytes. */
  take(events: readonly RunEvent[], all?: Uint8Array): void;
  /** Resolves when its reader has room for a page, or it is over. */
  ready(): Promise<void>;
  end(): void;
}

interface Channel {
  position: number;
  streams: Set<EventStream>;
  /** Whether something changed that no delivery has begun to read. */
  changed: boolean;
  delivering: boolean;
}

const encoder = new TextEncoder();
const COMMENT = encoder.encode(':\n\n');
const encode = (events: readonly RunEvent[]) =>
  encoder.encode(events.map(({ text }) => text).join(''));

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

export function openRunEvents({
  database,
  tokens,
  clock,
  limits,
  log,
  draining,
  whenStopping,
}: Pick<
  Assurance,
  'database' | 'tokens' | 'clock' | 'limits' | 'log' | 'draining' | 'whenStopping'
>): RunEvents {
  const streams = new Set<EventStream>();
  const channels = new Map<string, Channel>();
  const quietMs = Math.min(QUIET_MS, (limits.idleSeconds * 1000) / 3);
  const checkMs = Math.min(1000, quietMs);

  const timer = setInterval(() => {
    for (const stream of streams) {
      if (!stream.isAllowed(clock())) stream.end();
      else if (performance.now() - stream.sentAt > quietMs - checkMs / 2) stream.send(COMMENT);
    }
  }, checkMs);
  timer.unref();
  whenStopping(() => {
    clearInterval(timer);
    for (const stream of streams) stream.end();
  });
  tokens.onRevoked((tokenId) => {
    for (const stream of streams) if (stream.tokenId === tokenId) stream.end();
  });

  /** Text as of the HTML Living Standard, 9.2.5. */
  async function eventsAfter(projectId: string, change: number): Promise<RunEvent[]> {
    const rows = await changedRuns(database.read).all({ projectId, change });
    return rows.map(({ run, lease }) => {
      const data = JSON.stringify(runStateView(run, lease));
      return { run, text: `id: ${run.change}\nevent: run-state\ndata: ${data}\n\n` };
    });
  }

  function changed(projectId: string): void {
    const channel = channels.get(projectId);
    if (!channel) return;
    channel.changed = true;
    if (!channel.delivering) deliverLater(projectId, channel);
  }

  function deliverLater(projectId: string, channel: Channel, delayMs = COALESCE_MS): void {
    channel.delivering = true;
    setTimeout(async () => {
      const isDone = await deliver(projectId, channel);
      channel.delivering = false;
      if (channel.streams.size === 0) return;
      if (!isDone) deliverLater(projectId, channel, RETRY_FAILED_MS);
      else if (channel.changed) deliverLater(projectId, channel);
    }, delayMs).unref();
  }

  /** @returns false where the changes could not be read */
  async function deliver(projectId: string, channel: Channel): Promise<boolean> {
    // What is committed from now on may be too late for the reading below.
    channel.changed = false;
    try {
      for (;;) {
        const events = await eventsAfter(projectId, channel.position);
        const bytes = encode(events);
        for (const stream of channel.streams) stream.take(events, bytes);
        channel.position = events.at(-1)?.run.change ?? channel.position;
        if (events.length < PAGE_SIZE) return true;
      }
    } catch (error) {
      if (!draining()) log.warn({ err: error }, 'changes of runs were not sent; trying again');
      return false;
    }
  }

  /** Sends what a stream has missed until it is as far as the others of its project. */
  async function begin(stream: EventStream): Promise<void> {
    const { projectId, after } = stream;
    const newest = await newestChange(database.read, projectId);
    stream.position = Math.min(after ?? newest, newest);
    stream.send(encoder.encode(`retry: ${CLIENT_RETRY_MS}\nid: ${stream.position}\n\n`));
    for (;;) {
      const events = await eventsAfter(projectId, stream.position);
      stream.take(events);
      if (stream.over) return;
      const isBehind = stream.position < (channels.get(projectId)?.position ?? 0);
      if (events.length < PAGE_SIZE && !isBehind) break;
      await stream.ready();
    }
    const channel = channels.get(projectId) ?? {
      position: stream.position,
      streams: new Set(),
      changed: false,
      delivering: false,
    };
    channels.set(projectId, channel);
    channel.streams.add(stream);
    changed(projectId);
  }

  function leave(stream: EventStream): void {
    streams.delete(stream);
    const channel = channels.get(stream.projectId);
    if (channel?.streams.delete(stream) && channel.streams.size === 0)
      channels.delete(stream.projectId);
    stream.onEnd();
  }

  return {
    changed,
    openedBy: (tokenId) => [...streams].filter((one) => one.tokenId === tokenId).length,
    open(options) {
      const stream = createStream(options, leave);
      streams.add(stream);
      begin(stream).catch((error) => {
        log.warn({ err: error }, 'a stream of run states could not begin');
        stream.end();
      });
      return stream.body;
    },
  };
}

function createStream(options: StreamOptions, leave: (stream: EventStream) => void): EventStream {
  const { wants } = options;
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let wake = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
      },
      pull: () => wake(),
      cancel: () => finish(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
  );

  function finish(): void {
    if (stream.over) return;
    stream.over = true;
    wake();
    leave(stream);
  }

  const room = () => controller.desiredSize ?? 0;
  const stream: EventStream = {
    ...options,
    body,
    position: 0,
    sentAt: performance.now(),
    over: false,
    send(bytes) {
      if (stream.over) return;
      if (room() <= 0) {
        stream.end();
        return;
      }
      stream.sentAt = performance.now();
      controller.enqueue(bytes);
    },
    take(events, all) {
      const missed = events.filter(
        ({ run }) => run.change > stream.position && (wants === undefined || wants(run)),
      );
      stream.position = Math.max(stream.position, events.at(-1)?.run.change ?? 0);
      if (missed.length === 0) return;
      stream.send(all && missed.length === events.length ? all : encode(missed));
    },
    async ready() {
      while (!stream.over && room() < MAX_WAITING_BYTES / 2) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    end() {
      if (!stream.over) controller.close();
      finish();
    },
  };
  return stream;
}
