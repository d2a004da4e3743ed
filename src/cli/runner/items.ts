// Works a suite item by item: each is begun on the server, run under a heartbeat, and submitted.
import { readFile, rm } from 'node:fs/promises';
import type { Static } from '@sinclair/typebox';
import type { RunState } from '../../agents/runs/model.ts';
import type { SuiteItemView, SuiteView } from '../../agents/suites/model.ts';
import { isArchive } from '../../evidence/attachments/lent-files.ts';
import { CommandFailed } from '../command.ts';
import { type Api, dataOf, pause, REPORT_TIMEOUT_MS, Refused } from './api.ts';
import type { AgentFolder, WorkFolder } from './folder.ts';
import { type Finished, nameOf, runItem, type StoredFile } from './run-item.ts';
import { fileOf, type ItemEnd, type SubmittedRun, sendForm, warn } from './submission.ts';

export class Stopped extends CommandFailed {
  override name = 'Stopped';
}

export interface Worker {
  /** A client that tries again until a moment, or until a signal. */
  api(until: () => number, signal?: AbortSignal, timeoutMs?: number): Api;
  /** The agent's own, which is masked in all that it sends. */
  token: string;
  folder: AgentFolder;
  work: WorkFolder;
  agent: { name: string; version: string };
  environment: string | null;
  killGraceMs: number;
  /** How long a result is offered to a server that is away, also after its lease. */
  retryMs: number;
  /** Aborted as soon as the agent is to take nothing new. */
  soft: AbortSignal;
  /** Aborted when what is under way must end. */
  hard: AbortSignal;
  onEnd(item: SuiteItemView, end: ItemEnd): void;
}

export interface Lease {
  id: string;
  token: string;
  renewAfterMs: number;
  /** When it runs out unless it is renewed (epoch, ms, by this machine's clock). */
  deadline: number;
}

const BEATS_A_LEASE = 5;
const LONGEST_BEAT_MS = 15_000;
const WRITE_TIMEOUT_MS = 10_000;

/**
 * @returns whether all items have ended: not so where the agent was asked to end before
 * @throws Unreachable where the server does not come back; Stopped where the agent had to end
 */
export async function workSuite(suite: SuiteView, claimedAt: number, worker: Worker) {
  const { id, token, renewAfterMs } = suite.lease;
  const deadline = claimedAt + BEATS_A_LEASE * renewAfterMs;
  const lease: Lease = { id, token, renewAfterMs, deadline };
  for (const item of suite.items) {
    if (worker.soft.aborted) return false;
    const folder = await worker.folder.makeRun();
    const end = await workItem({ item, suite, lease, folder }, worker);
    await rm(folder, { recursive: true, force: true });
    if (end === undefined) return false;
    worker.onEnd(item, end);
  }
  return true;
}

interface ItemWork {
  item: SuiteItemView;
  suite: SuiteView;
  lease: Lease;
  folder: string;
}

/** What the server says that ends a command early. */
interface Interruption {
  ending: 'lost' | 'cancelled';
  why: string;
}

const CANCELLED = 'its cancellation was asked for';

/** Works one item; undefined where the agent had to end before it. */
async function workItem(work: ItemWork, worker: Worker): Promise<ItemEnd | undefined> {
  const { item, lease } = work;
  const run = openRun(item, lease, worker);
  const begun = await run.write({ state: 'running' }).catch((error: unknown) => {
    // What is wrong with the token is wrong for every item.
    if (!(error instanceof Refused) || [401, 403].includes(error.status)) throw error;
    return error;
  });
  if (begun instanceof Refused) return { ending: 'lost', why: [begun.message] };
  if (begun.cancelRequested) return run.end('cancelled', CANCELLED);

  const stopped = new AbortController();
  const over = new AbortController();
  const watching = run.keepAlive(over.signal, (why) => stopped.abort(why));
  try {
    const finished = await runItem({
      item,
      work: worker.work,
      folder: work.folder,
      killGraceMs: worker.killGraceMs,
      interrupt: AbortSignal.any([worker.hard, stopped.signal]),
      credentials: await credentialsOf(work, run.api()),
      secrets: [worker.token, ...Object.values(work.suite.credentials)],
    });
    // What has ended is submitted, whatever has become of the lease: a late report is stored too.
    if (finished !== undefined) return await submit(finished, work, run, worker);
  } finally {
    over.abort();
    await watching;
  }
  if (!stopped.signal.aborted) {
    warn(`${nameOf(item)}: ended before its time, since the agent had to end`);
    return undefined;
  }
  const { ending, why } = stopped.signal.reason as Interruption;
  return ending === 'cancelled' ? run.end(ending, why) : { ending, why: [why] };
}

/** Of the suite's credentials those that the item's command names, and no other. */
async function credentialsOf({ item, suite }: ItemWork, api: Api): Promise<Record<string, string>> {
  const leased = Object.entries(suite.credentials);
  if (leased.length === 0 || item.commandId === null) return {};
  const command = await dataOf(api['test-commands'].get({ query: { id: item.commandId } }));
  const named = 'credentials' in command ? command.credentials : [];
  return Object.fromEntries(leased.filter(([name]) => named.includes(name)));
}

async function submit(
  finished: Finished,
  { item, lease }: ItemWork,
  run: LeasedRun,
  worker: Worker,
): Promise<ItemEnd> {
  const { agent, environment, retryMs } = worker;
  const { durationMs, notes, report } = finished;
  const name = nameOf(item).slice(0, 300);
  const fields = { ...finished.run, ...run.fence, agent, name, environment };
  const since = Date.now();
  const until = () => Math.max(lease.deadline, since + retryMs);
  const api = worker.api(until, worker.hard, REPORT_TIMEOUT_MS);

  async function send(files: readonly StoredFile[]): Promise<SubmittedRun> {
    const form = new FormData();
    form.append('run', JSON.stringify(fields));
    if (report !== null) form.append('report', await fileOf(report));
    for (const file of files) form.append('file', await fileOf(file));
    try {
      return await sendForm(api, form);
    } catch (error) {
      // Evidence that the server does not take is left out.
      if (!(error instanceof Refused) || !error.isOfBody || files.length === 0) throw error;
      const others = error.code === 'archive_refused' ? await withoutArchives(files) : [];
      return send(others.length < files.length ? others : []);
    }
  }

  try {
    const recorded = await send(finished.files);
    const ending = recorded.late ? 'lost' : recorded.status;
    return { ending, durationMs, run: recorded, why: notes };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.isOfBody) await run.end('broken', error.message);
    const ending = error.isOfBody ? 'broken' : 'lost';
    return { ending, durationMs, why: [...notes, error.message] };
  }
}

async function withoutArchives(files: readonly StoredFile[]): Promise<StoredFile[]> {
  const heads = await Promise.all(files.map(({ path }) => readFile(path)));
  return files.filter((_, at) => !isArchive(heads[at] ?? Buffer.alloc(0)));
}

type LeasedRun = ReturnType<typeof openRun>;

/** A run that the agent has under a lease. Its writes are numbered, and each renews the lease. */
export function openRun(
  { runId, attempt }: Pick<SuiteItemView, 'runId' | 'attempt'>,
  lease: Lease,
  worker: Pick<Worker, 'api' | 'hard'>,
) {
  let seq = 0;
  const fence = { runId, attempt, lease: { id: lease.id, token: lease.token } };

  /** A client that tries again for as long as the lease lasts. */
  function api(signal = worker.hard): Api {
    return worker.api(() => lease.deadline, signal, WRITE_TIMEOUT_MS);
  }

  async function write(
    change: { state?: 'running' | 'cancelled' | 'broken'; message?: string },
    signal?: AbortSignal,
  ): Promise<Static<typeof RunState>> {
    seq += 1;
    const sentAt = Date.now();
    const written = await dataOf(api(signal)['run-state'].post({ ...fence, seq, ...change }));
    lease.renewAfterMs = written.renewAfterMs ?? lease.renewAfterMs;
    lease.deadline = sentAt + BEATS_A_LEASE * lease.renewAfterMs;
    return written;
  }

  return {
    fence,
    api,
    write,
    /** Gives a sign of life each time one is due, until it is `over` or there is a reason to end the run. */
    async keepAlive(over: AbortSignal, stop: (why: Interruption) => void): Promise<void> {
      try {
        for (;;) {
          // A little before it is due, and not at the same moment as every other agent.
          const dueMs = Math.min(lease.renewAfterMs, LONGEST_BEAT_MS);
          await pause(dueMs * (0.8 + 0.2 * Math.random()), over);
          const { cancelRequested } = await write({}, over);
          if (cancelRequested) stop({ ending: 'cancelled', why: CANCELLED });
        }
      } catch (error) {
        if (!over.aborted) stop({ ending: 'lost', why: (error as Error).message });
      }
    },
    /** Ends the run without a report; where that is refused, its lease will run out. */
    async end(ending: 'cancelled' | 'broken', why: string): Promise<ItemEnd> {
      await write({ state: ending, message: why }).catch((error: unknown) => {
        if (!(error instanceof CommandFailed)) throw error;
        warn(`not ${ending}: ${error.message}`);
      });
      return { ending, why: [why] };
    },
  };
}
