// The changes of runs as they happen, told to all who follow a project: read once from the database
// after they are committed, written as text once, and given to each.
import { and, asc, eq, getTableColumns, gt, max, sql } from 'drizzle-orm';
import type { Context } from '../http/context.ts';
import { prepared } from '../store/prepared.ts';
import { leases, type RunStateRow, runStates } from '../store/tables/agents.ts';
import { runStateView } from './run-state-view.ts';

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
const APART_MS = 2000;
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
  /** The newest change that was told; followers that are behind it are still being told. */
  position: number;
  /** Those who are told, with the last change that each knows of by itself. */
  followers: Map<Follower, number>;
  /** Those who are told or about to be. */
  users: number;
  scheduled: boolean;
  /** Not before then is it to be told again. */
  tellAt: number;
  /** Tellings follow each other. */
  telling: Promise<void>;
}

/** Opens the events of an instance. */
export function openRunEvents({
  database,
  log,
  draining,
  whenStopping,
}: Pick<Context, 'database' | 'log' | 'draining' | 'whenStopping'>): RunEvents {
  const channels = new Map<string, Channel>();
  const opening = new Map<string, Promise<Channel>>();
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
    if (!channel || channel.scheduled) return;
    channel.scheduled = true;
    const wait = Math.max(0, channel.tellAt - performance.now());
    setTimeout(() => {
      channel.telling = channel.telling.then(() => tell(projectId, channel));
    }, wait).unref();
  }

  async function tell(projectId: string, channel: Channel): Promise<void> {
    // What is committed from now on may be too late for the reading below.
    channel.scheduled = false;
    channel.tellAt = performance.now() + TOGETHER_MS;
    try {
      for (let count = EVENTS_A_PAGE; count === EVENTS_A_PAGE && channel.followers.size > 0; ) {
        const events = await eventsBehind(projectId, channel.position);
        count = events.length;
        give(channel, events);
      }
    } catch (error) {
      // The next second asks again.
      if (!draining()) log.warn({ err: error }, 'changes of runs were not told');
    }
  }

  function give(channel: Channel, events: readonly RunEvent[]): void {
    const last = events.at(-1)?.run.change;
    if (last === undefined) return;
    const bytes = bytesOf(events);
    const bytesInAll = bytes.byteLength * channel.followers.size;
    channel.tellAt += Math.min((bytesInAll * 1000) / BYTES_A_SECOND, APART_MS);
    for (const [follower, knows] of channel.followers) {
      if (knows <= channel.position) follower.take(events, bytes);
      else {
        const rest = events.filter(({ run }) => run.change > knows);
        if (rest.length > 0) follower.take(rest, bytesOf(rest));
      }
    }
    channel.position = last;
  }

  async function openChannel(projectId: string): Promise<Channel> {
    const [row] = await database.read
      .select({ change: max(runStates.change) })
      .from(runStates)
      .where(eq(runStates.projectId, projectId));
    const channel: Channel = {
      ...{ position: row?.change ?? 0, followers: new Map(), users: 0 },
      ...{ scheduled: false, tellAt: 0, telling: Promise.resolve() },
    };
    channels.set(projectId, channel);
    return channel;
  }

  function channelOf(projectId: string): Promise<Channel> {
    const known = channels.get(projectId);
    if (known) return Promise.resolve(known);
    const begun = opening.get(projectId);
    if (begun) return begun;
    const opened = openChannel(projectId).finally(() => opening.delete(projectId));
    opening.set(projectId, opened);
    return opened;
  }

  function leave(projectId: string, channel: Channel): void {
    channel.users -= 1;
    if (channel.users > 0) return;
    channels.delete(projectId);
    if (channels.size > 0) return;
    clearInterval(unasked);
    unasked = undefined;
  }

  whenStopping(() => clearInterval(unasked));

  return {
    changed,
    async follow(projectId, follower, after, begins) {
      const channel = await channelOf(projectId);
      channel.users += 1;
      unasked ??= setInterval(() => {
        for (const id of channels.keys()) changed(id);
      }, UNASKED_MS).unref();
      let knows = Math.min(after ?? channel.position, channel.position);
      try {
        begins(knows);
        while (knows < channel.position && !follower.over) {
          const events = await eventsBehind(projectId, knows);
          knows = events.at(-1)?.run.change ?? channel.position;
          if (events.length > 0) follower.take(events, bytesOf(events));
          await follower.ready();
        }
      } catch (error) {
        leave(projectId, channel);
        throw error;
      }
      channel.followers.set(follower, knows);
      return () => {
        if (channel.followers.delete(follower)) leave(projectId, channel);
      };
    },
  };
}
