// Reads from a libSQL server, a primary or one of its replicas. A replica may lag behind what this
// process has written, or start anew from an older state: each request looks whether it has seen
// the last write, and goes to the primary where it has not. What is asked for together, or while
// enough requests are under way, shares a request.
import type { ResultSet } from '@libsql/client';
import { StoreUnavailable } from '../errors.ts';
import {
  DatabaseError,
  type HranaClient,
  type Outcome,
  type Statement,
  type Step,
} from './hrana.ts';
import type { RemoteTransactions, TransactionOptions } from './remote-transactions.ts';

type ReadOptions = Pick<TransactionOptions, 'hrana' | 'lease' | 'onLost'> &
  Pick<RemoteTransactions, 'committed' | 'committedAt'>;

interface Waiting {
  statement: Statement;
  resolve(result: ResultSet): void;
  reject(error: unknown): void;
}

const REQUESTS_AT_ONCE = 8;
const STATEMENTS_A_REQUEST = 8;
const RETRY_WITHIN_MS = 1000;
const LAG_MS = 50;

/**
 * A step that would write makes a replica hand the whole request on to its primary. It takes no
 * lock, as it is not executed: the first step would have to fail.
 */
export const TO_PRIMARY: Step = {
  sql: 'delete from lease where false',
  condition: { type: 'error', step: 0 },
};

/** Gives a function that rejects with what the server says against a statement, else StoreUnavailable. */
export function createRemoteReads({ hrana, lease, committed, committedAt, onLost }: ReadOptions) {
  const waiting: Waiting[] = [];
  let underWay = 0;
  // Whether this is a replica that was seen lagging: soon after a write it need not be asked.
  let lags = false;

  async function read(some: Waiting[]): Promise<void> {
    try {
      const outcomes = await readFresh(some.map(({ statement }) => statement));
      for (const [index, { resolve, reject }] of some.entries()) {
        const outcome = outcomes[index];
        if (outcome instanceof Error) reject(outcome);
        else if (outcome) resolve(outcome);
        else reject(new StoreUnavailable(new Error('a statement was not executed')));
      }
    } catch (error) {
      // Too large together, or one of them is no SQL: that is for each by itself to learn.
      const maySplit = some.length > 1 && error instanceof DatabaseError;
      if (maySplit) for (const one of some) await read([one]);
      else for (const { reject } of some) reject(error);
    }
  }

  async function readFresh(statements: Statement[]): Promise<Outcome[]> {
    const wanted = committed();
    const steps = [lease.mark, ...statements];
    if (!lags || performance.now() - committedAt() > LAG_MS) {
      const [mark, ...outcomes] = await ask(hrana, steps);
      if (isFresh(mark, wanted)) return outcomes;
      lags = true;
    }
    const [markThere, ...outcomesThere] = await ask(hrana, [...steps, TO_PRIMARY]);
    if (isFresh(markThere, wanted)) return outcomesThere;
    if (markThere instanceof Error) throw markThere;
    if (markThere?.rows.length === 0) onLost();
    throw new StoreUnavailable(new Error('the database is not as this process has left it'));
  }

  function start(): void {
    while (underWay < REQUESTS_AT_ONCE && waiting.length > 0) {
      underWay += 1;
      void read(waiting.splice(0, STATEMENTS_A_REQUEST)).finally(() => {
        underWay -= 1;
        start();
      });
    }
  }

  return (statement: Statement) =>
    new Promise<ResultSet>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(start);
      waiting.push({ statement, resolve, reject });
    });
}

/**
 * Executes steps that may be executed twice: they are sent again where the connection breaks, as
 * one does that was kept while the server restarted.
 */
export async function ask(hrana: HranaClient, steps: Step[]): Promise<Outcome[]> {
  const began = performance.now();
  try {
    return (await hrana.stream().batch(steps, true)).outcomes;
  } catch (error) {
    const mayRetry = error instanceof StoreUnavailable;
    if (!mayRetry || performance.now() - began > RETRY_WITHIN_MS) throw error;
    return (await hrana.stream().batch(steps, true)).outcomes;
  }
}

function isFresh(mark: Outcome, wanted: number): boolean {
  if (mark === undefined || mark instanceof Error) return false;
  const [row] = mark.rows;
  return row !== undefined && Number(row[0]) >= wanted;
}
