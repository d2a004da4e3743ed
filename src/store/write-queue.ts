// Writes that share a commit. All writes asked for in one turn of the event loop run one after
// the other inside one transaction, each in its own savepoint, and are answered only after the
// commit: one sync to disk for all of them, and an answer of success means that it is on disk.
import { StoreUnavailable } from './errors.ts';

/** What the queue needs of a connection; all of it may be synchronous or not. */
export interface TransactionControl {
  begin(): Promise<void> | void;
  commit(): Promise<void> | void;
  rollback(): Promise<void> | void;
  savepoint(): Promise<void> | void;
  release(): Promise<void> | void;
  rollbackToSavepoint(): Promise<void> | void;
  /** False once the database has rolled the transaction back by itself, as on a full disk. */
  inTransaction(): boolean;
}

export interface WriteQueue {
  /**
   * Runs `work` alone on the writing connection. Its statements take effect together or, when it
   * throws, not at all; the promise settles after the commit.
   *
   * @throws what `work` throws; StoreUnavailable when the commit fails
   */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for is committed; later writes are refused. */
  close(): Promise<void>;
}

interface Job {
  work: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

type Outcome = { job: Job; value: unknown } | { job: Job; error: unknown };

/**
 * Makes the queue of one writing connection.
 *
 * @param control - transaction statements of the connection
 * @param writesPerCommit - how many writes share a commit at most; 1 gives each its own
 */
export function createWriteQueue(control: TransactionControl, writesPerCommit: number): WriteQueue {
  let jobs: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function runJob(job: Job): Promise<Outcome> {
    try {
      await control.savepoint();
      const value = await job.work();
      await control.release();
      return { job, value };
    } catch (error) {
      if (control.inTransaction()) await control.rollbackToSavepoint();
      return { job, error };
    }
  }

  async function runBatch(batch: Job[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    try {
      await control.begin();
      for (const job of batch) {
        outcomes.push(await runJob(job));
        if (!control.inTransaction()) throw failureOf(outcomes);
      }
      await control.commit();
      return outcomes;
    } catch (cause) {
      if (control.inTransaction()) await Promise.resolve(control.rollback()).catch(() => {});
      const error = new StoreUnavailable(cause);
      return batch.map((job) => ({ job, error }));
    }
  }

  async function run(): Promise<void> {
    while (jobs.length > 0) {
      const batch = jobs.slice(0, writesPerCommit);
      jobs = jobs.slice(writesPerCommit);
      for (const outcome of await runBatch(batch)) {
        if ('error' in outcome) outcome.job.reject(outcome.error);
        else outcome.job.resolve(outcome.value);
      }
      if (jobs.length > 0) await new Promise((next) => setImmediate(next));
    }
    // In the same step as the last look at the list: a write asked for later starts a run anew.
    running = undefined;
  }

  return {
    write<T>(work: () => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closed'));
      return new Promise<T>((resolve, reject) => {
        jobs.push({ work, resolve: resolve as (value: unknown) => void, reject });
        running ??= new Promise<void>((next) => setImmediate(next)).then(run);
      });
    },
    async close() {
      closed = true;
      await running;
    },
  };
}

function failureOf(outcomes: Outcome[]): unknown {
  const last = outcomes.at(-1);
  return last && 'error' in last ? last.error : new Error('the transaction ended by itself');
}
