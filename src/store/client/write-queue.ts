// Writes that share a commit. All writes asked for in one turn of the event loop run one after
// the other inside one transaction, each undone alone when it fails, and are answered only after the
// commit: one sync to disk for all of them, and an answer of success means that it is on disk.
import { setImmediate } from 'node:timers/promises';
import { createHistogram } from '../../model/metrics.ts';
import { StoreUnavailable } from '../errors.ts';

export interface TransactionControl {
  begin(): Promise<void> | void;
  commit(): Promise<void> | void;
  rollback(): Promise<void> | void;
  savepoint(): Promise<void> | void;
  release(): Promise<void> | void;
  rollbackToSavepoint(): Promise<void> | void;
  /**
   * How many statements that write have run, where the connection counts them. Then a write needs no
   * savepoint of its own until one in its batch has to be undone.
   */
  writes?(): number;
  /** False once the database has rolled the transaction back by itself, as on a full disk. */
  inTransaction(): boolean;
}

export type WriteStats = ReturnType<typeof createWriteQueue>['stats'];

interface Job {
  work: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

type Listeners = (() => void)[];
type Outcome = { job: Job; value: unknown; listeners: Listeners } | { job: Job; error: unknown };

const COMMIT_BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 500, 2500];

export function createWriteQueue(
  control: TransactionControl,
  writesPerCommit: number,
  msPerCommit = Number.POSITIVE_INFINITY,
) {
  const commits = createHistogram(COMMIT_BUCKETS_MS);
  let committed = 0;
  let jobs: Job[] = [];
  let inBatch = 0;
  let failed = 0;
  let running: Promise<void> | undefined;
  let isClosed = false;
  /** Of the write that runs now. */
  let current: Listeners | undefined;

  async function run(job: Job): Promise<Outcome> {
    const listeners: Listeners = [];
    current = listeners;
    try {
      return { job, value: await job.work(), listeners };
    } finally {
      current = undefined;
    }
  }

  async function runCarefully(job: Job): Promise<Outcome> {
    try {
      await control.savepoint();
      const outcome = await run(job);
      await control.release();
      return outcome;
    } catch (error) {
      if (control.inTransaction()) await control.rollbackToSavepoint();
      return { job, error };
    }
  }

  /** Undefined where the job has written and failed: only the whole transaction can be undone. */
  async function runBoldly(job: Job, writes: () => number): Promise<Outcome | undefined> {
    const before = writes();
    try {
      return await run(job);
    } catch (error) {
      return writes() === before || !control.inTransaction() ? { job, error } : undefined;
    }
  }

  async function runBatch(batch: Job[], isCareful: boolean): Promise<Outcome[]> {
    const end = performance.now() + msPerCommit;
    const outcomes: Outcome[] = [];
    try {
      await control.begin();
      for (const [index, job] of batch.entries()) {
        if (index > 0 && performance.now() > end) {
          jobs = [...batch.splice(index), ...jobs];
          break;
        }
        const isBold = !isCareful && control.writes;
        const outcome = await (isBold ? runBoldly(job, isBold) : runCarefully(job));
        if (!outcome) {
          await control.rollback();
          return await runBatch(batch, true);
        }
        outcomes.push(outcome);
        if (!control.inTransaction()) throw failureOf(outcome);
      }
      const began = performance.now();
      await control.commit();
      committed += 1;
      commits.observe(performance.now() - began);
      return outcomes.map(notify);
    } catch (cause) {
      failed += 1;
      if (control.inTransaction()) await Promise.resolve(control.rollback()).catch(() => {});
      const error = new StoreUnavailable(cause);
      return batch.map((job) => ({ job, error }));
    }
  }

  async function runAll(): Promise<void> {
    while (jobs.length > 0) {
      await setImmediate();
      const batch = jobs.slice(0, writesPerCommit);
      jobs = jobs.slice(writesPerCommit);
      inBatch = batch.length;
      for (const outcome of await runBatch(batch, false)) {
        if ('error' in outcome) outcome.job.reject(outcome.error);
        else outcome.job.resolve(outcome.value);
      }
      inBatch = 0;
    }
    // In the same step as the last look at the list: a write asked for later starts a run anew.
    running = undefined;
  }

  return {
    committed: () => committed,
    stats: {
      commits,
      /** Commits that failed, with all writes in them. */
      get failed() {
        return failed;
      },
      get waiting() {
        return jobs.length + inBatch;
      },
    },
    /**
     * Runs `work` alone on the writing connection. Its statements take effect together or, when it
     * throws, not at all; the promise settles after the commit. It may be run again from its beginning,
     * when what it did was undone together with another's: it must do nothing but read and write here.
     * @throws what `work` throws; StoreUnavailable when the commit fails
     */
    write<T>(work: () => Promise<T>): Promise<T> {
      if (isClosed) return Promise.reject(new StoreUnavailable('the store is closed'));
      return new Promise<T>((resolve, reject) => {
        jobs.push({ work, resolve: resolve as (value: unknown) => void, reject });
        running ??= runAll();
      });
    },
    /** Has `listener` called once the write that runs now is committed; not when it is undone. */
    afterCommit(listener: () => void): void {
      if (!current) throw new Error('no write is running');
      current.push(listener);
    },
    /** Resolves when all that was asked for is committed; later writes are refused. */
    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}

/** The caller learns of a listener that fails, though its write is committed. */
function notify(outcome: Outcome): Outcome {
  if ('error' in outcome) return outcome;
  try {
    for (const listener of outcome.listeners) listener();
    return outcome;
  } catch (error) {
    return { job: outcome.job, error };
  }
}

function failureOf(outcome: Outcome): unknown {
  return 'error' in outcome ? outcome.error : new Error('the transaction ended by itself');
}
