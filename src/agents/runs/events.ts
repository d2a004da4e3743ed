// The changes of runs as they happen, told to all who follow a project: read once from the database
// after they are committed, written as text once, and given to each.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, getTableColumns, gt, max, sql } from 'drizzle-orm';
import type { Context } from '../../http/api/context.ts';
import { prepared } from '../../store/client/prepared.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { runStateView } from './view.ts';

/** A change as it is sent, and the run that it is of. */
export interface RunEvent {
  run: RunStateRow;
  text: string;
}

export interface Follower {
  /** Takes events, the oldest first; `bytes` are all of them as they are sent. */
  take(events: readonly RunEvent[], bytes: Uint8Array): void;
  /** Resolves when it can take more, or is over. */
  ready(): Promise<void>;
  readonly over: boolean;
}

export interface RunEvents {
  /** To be called after the commit of any change of a project's runs. */
  changed(projectId: string): void;
  /**
   * Tells a follower of all changes behind one, of each run the newest state, and then of changes
   * as they happen.
   *
   * @param after - the last change it knows of; from now on where there is none
   * @param begins - called first, with the change that it begins behind
   */
  follow(
    projectId: string,
    follower: Follower,
    after: number | undefined,
    begins: (change: number) => void,
  ): Promise<() => void>;
}

const EVENTS_A_PAGE = 200;
/** What happens within this time is told together, of each run the newest. */
const TOGETHER_MS = 100;
/** Where much is told to many, they are told less often, so that agents need not wait for that. */
const BYTES_A_SECOND = 64 * 1024 * 1024;
const BYTES_AT_ONCE = 2 * BYTES_A_SECOND;
/** After so many bytes that were given to followers, others are served. */
const BYTES_A_TURN = 8 * 1024 * 1024;
/** Changes that nobody spoke of are found at this interval. */
const UNASKED_MS = 1000;

const p = sql.placeholder;

const changedRuns = prepared((db) =>
  db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(and(eq(runStates.projectId, p('projectId')), gt(runStates.change, p('change'))))
    .orderBy(asc(runStates.change))
    .limit(EVENTS_A_PAGE)
    .prepare(),
);

const encoder = new TextEncoder();

/** Events as they are sent, one behind the other. */
export function bytesOf(events: readonly RunEvent[]): Uint8Array {
  return encoder.encode(events.map(({ text }) => text).join(''));
}

interface Channel {
  /** Resolves when `position` is known. */
  ready: Promise<void>;
  /** The newest change that was told; followers that are behind it are still being told. */
  position: number;
  /** Those who are told, with the last change that each knows of by itself. */
  followers: Map<Follower, number>;
  /** Those who are told or about to be. */
  users: number;
  /** Whether there is something to tell that no telling has begun to read. */
  news: boolean;
  /** Whether a telling goes on, or is about to. */
  telling: boolean;
  /** Not before then is it to be told again. */
  tellAt: number;
}

/** Opens the events of an instance. */
export function openRunEvents({
  database,
  log,
  draining,
  whenStopping,
}: Pick<Context, 'database' | 'log' | 'draining' | 'whenStopping'>): RunEvents {
  const channels = new Map<string, Channel>();
  let unasked: ReturnType<typeof setInterval> | undefined;

  /** Text as of the HTML Living Standard, 9.2.5. */
  async function eventsBehind(projectId: string, change: number): Promise<RunEvent[]> {
    const rows = await changedRuns(database.read).all({ projectId, change });
    return rows.map(({ run, lease }) => {
      const data = JSON.stringify(runStateView(run, lease));
      return { run, text: `id: ${run.change}\nevent: run-state\ndata: ${data}\n\n` };
    });
  }

  function changed(projectId: string): void {
    const channel = channels.get(projectId);
    if (!channel) return;
    channel.news = true;
    if (!channel.telling) tellLater(projectId, channel);
  }

  function tellLater(projectId: string, channel: Channel): void {
    channel.telling = true;
    const wait = Math.max(0, channel.tellAt - performance.now());
    setTimeout(async () => {
      await tell(projectId, channel);
      channel.telling = false;
      if (channel.news) tellLater(projectId, channel);
    }, wait).unref();
  }

  async function tell(projectId: string, channel: Channel): Promise<void> {
    // What is committed from now on may be too late for the reading below.
    channel.news = false;
    const began = performance.now();
    let bytes = 0;
    try {
      let more = true;
      while (more && channel.followers.size > 0 && bytes < BYTES_AT_ONCE) {
        const events = await eventsBehind(projectId, channel.position);
        more = events.length === EVENTS_A_PAGE;
        bytes += await give(channel, events);
      }
      // One that comes later asks for what there is then.
      channel.news ||= more && channel.followers.size > 0;
    } catch (error) {
      // The next second asks again.
      if (!draining()) log.warn({ err: error }, 'changes of runs were not told');
    }
    channel.tellAt = began + Math.max(TOGETHER_MS, (bytes * 1000) / BYTES_A_SECOND);
  }

  /** @returns how many bytes there were for all of them together */
  async function give(channel: Channel, events: readonly RunEvent[]): Promise<number> {
    const last = events.at(-1)?.run.change;
    if (last === undefined) return 0;
    const bytes = bytesOf(events);
    let given = 0;
    // One that comes while others are served is told too: it knows what was told before.
    for (const [follower, knows] of channel.followers) {
      given += bytes.byteLength;
      if (given > BYTES_A_TURN) {
        given = 0;
        await setImmediate();
      }
      if (knows <= channel.position) follower.take(events, bytes);
      else {
        const rest = events.filter(({ run }) => run.change > knows);
        if (rest.length > 0) follower.take(rest, bytesOf(rest));
      }
    }
    channel.position = last;
    return bytes.byteLength * channel.followers.size;
  }

  async function findPosition(projectId: string, channel: Channel): Promise<void> {
    const [row] = await database.read
      .select({ change: max(runStates.change) })
      .from(runStates)
      .where(eq(runStates.projectId, projectId));
    channel.position = row?.change ?? 0;
  }

  function enter(projectId: string): Channel {
    let channel = channels.get(projectId);
    if (!channel) {
      channel = {
        ...{ position: 0, followers: new Map(), users: 0 },
        ...{ news: false, telling: false, tellAt: 0, ready: Promise.resolve() },
      };
      channels.set(projectId, channel);
      channel.ready = findPosition(projectId, channel);
    }
    channel.users += 1;
    unasked ??= setInterval(() => {
      for (const id of channels.keys()) changed(id);
    }, UNASKED_MS).unref();
    return channel;
  }

  function leave(projectId: string, channel: Channel): void {
    channel.users -= 1;
    if (channel.users > 0) return;
    channels.delete(projectId);
    if (channels.size > 0 || unasked === undefined) return;
    clearInterval(unasked);
    unasked = undefined;
  }

  whenStopping(() => clearInterval(unasked));

  return {
    changed,
    async follow(projectId, follower, after, begins) {
      const channel = enter(projectId);
      let knows: number;
      try {
        await channel.ready;
        knows = Math.min(after ?? channel.position, channel.position);
        begins(knows);
        while (knows < channel.position && !follower.over) {
          const { position } = channel;
          const events = await eventsBehind(projectId, knows);
          knows = events.at(-1)?.run.change ?? position;
          if (events.length > 0) follower.take(events, bytesOf(events));
          await follower.ready();
        }
      } catch (error) {
        leave(projectId, channel);
        throw error;
      }
      channel.followers.set(follower, knows);
      changed(projectId);
      return () => {
        if (channel.followers.delete(follower)) leave(projectId, channel);
      };
    },
  };
}
