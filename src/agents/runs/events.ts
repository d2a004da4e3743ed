// The changes of runs as streams of server-sent events (HTML Living Standard, 9.2). Some time after a
// change is committed, each stream of its project reads on from where it is; those at the same place
// share what is read. A stream ends with its token, with the service, and where its reader does not
// keep up.
import { and, asc, eq, getTableColumns, gt } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { runStateView } from './model.ts';
import { newestChange } from './rows.ts';

export interface StreamOptions {
  projectId: string;
  tokenId: string;
  /**
   * The last change that the caller knows of: it gets the newest state of all runs changed since.
   */
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

interface EventPage {
  events: { run: RunStateRow; text: string }[];
  bytes: Uint8Array;
}
type ReadPage = (change: number) => Promise<EventPage>;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(':\n\n');
const encode = (events: EventPage['events']) =>
  encoder.encode(events.map(({ text }) => text).join(''));

export function openRunEvents(assurance: Assurance): RunEvents {
  const { database, tokens, clock, limits, log, draining, whenStopping } = assurance;
  const streams = new Set<EventStream>();
  const changedProjects = new Set<string>();
  let isDue = false;
  const quietMs = Math.min(QUIET_MS, (limits.idleSeconds * 1000) / 3);
  const checkMs = Math.min(1000, quietMs);

  const timer = setInterval(() => {
    for (const stream of streams) {
      if (!stream.isAllowed(clock())) stream.end();
      else if (performance.now() - stream.sentAt() > quietMs - checkMs / 2) stream.send(COMMENT);
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

  function readerOf(projectId: string): ReadPage {
    return async (change) => {
      const rows = await database.read
        .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
        .from(runStates)
        .innerJoin(leases, eq(leases.id, runStates.leaseId))
        .where(and(eq(runStates.projectId, projectId), gt(runStates.change, change)))
        .orderBy(asc(runStates.change))
        .limit(PAGE_SIZE);
      const events = rows.map(({ run, lease }) => {
        const data = JSON.stringify(runStateView(run, lease));
        return { run, text: `id: ${run.change}\nevent: run-state\ndata: ${data}\n\n` };
      });
      return { events, bytes: encode(events) };
    };
  }

  function changed(projectId: string, delayMs = COALESCE_MS): void {
    if (streams.size === 0) return;
    changedProjects.add(projectId);
    if (isDue) return;
    isDue = true;
    setTimeout(deliver, delayMs).unref();
  }

  function deliver(): void {
    isDue = false;
    for (const projectId of changedProjects) {
      const read = shared(readerOf(projectId));
      for (const stream of streams) if (stream.projectId === projectId) catchUp(stream, read);
    }
    changedProjects.clear();
  }

  function catchUp(stream: EventStream, read: ReadPage): void {
    stream.catchUp(read).catch((error) => {
      if (!draining()) log.warn({ err: error }, 'changes of runs were not sent; trying again');
      changed(stream.projectId, RETRY_FAILED_MS);
    });
  }

  async function begin(stream: EventStream): Promise<void> {
    const { projectId, after } = stream;
    const newest = await newestChange(database.read, projectId);
    stream.begin(Math.min(after ?? newest, newest));
    catchUp(stream, readerOf(projectId));
  }

  return {
    changed,
    openedBy: (tokenId) => [...streams].filter((one) => one.tokenId === tokenId).length,
    open(options) {
      const stream = createStream(options, () => streams.delete(stream));
      streams.add(stream);
      begin(stream).catch((error) => {
        log.warn({ err: error }, 'a stream of run states could not begin');
        stream.end();
      });
      return stream.body;
    },
  };
}

function shared(read: ReadPage): ReadPage {
  const pages = new Map<number, Promise<EventPage>>();
  return (change) => {
    const page = pages.get(change) ?? read(change);
    pages.set(change, page);
    return page;
  };
}

type EventStream = ReturnType<typeof createStream>;

function createStream(options: StreamOptions, leave: () => void) {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let wake = (): void => {};
  /** Undefined until it has begun. */
  let position: number | undefined;
  let sentAt = performance.now();
  let over = false;
  let reading = false;
  /** What is to be read, or read again behind what is being read now. */
  let next: ReadPage | undefined;
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
  const room = () => controller.desiredSize ?? 0;

  function finish(): void {
    if (over) return;
    over = true;
    wake();
    leave();
    options.onEnd();
  }

  function end(): void {
    if (!over) controller.close();
    finish();
  }

  function send(bytes: Uint8Array): void {
    if (over) return;
    if (room() <= 0) {
      end();
      return;
    }
    sentAt = performance.now();
    controller.enqueue(bytes);
  }

  function take({ events, bytes }: EventPage): void {
    const wanted = options.wants ? events.filter(({ run }) => options.wants?.(run)) : events;
    position = events.at(-1)?.run.change ?? position;
    if (wanted.length > 0) send(wanted === events ? bytes : encode(wanted));
  }

  async function waitForRoom(): Promise<void> {
    while (!over && room() < MAX_WAITING_BYTES / 2) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    ...options,
    body,
    sentAt: () => sentAt,
    send,
    end,
    begin(from: number) {
      position = from;
      send(encoder.encode(`retry: ${CLIENT_RETRY_MS}\nid: ${position}\n\n`));
    },
    /** Sends all changes behind its position. */
    async catchUp(read: ReadPage): Promise<void> {
      next = read;
      if (reading) return;
      reading = true;
      try {
        while (next && position !== undefined && !over) {
          const current: ReadPage = next;
          const page = await current(position);
          take(page);
          if (page.events.length === PAGE_SIZE) await waitForRoom();
          else if (next === current) next = undefined;
        }
      } finally {
        reading = false;
      }
    },
  };
}
