// The requests of a write transaction on a libSQL server: which statements go into one, and when
// each of them is executed.
import type { ResultSet } from '@libsql/client';
import type { Condition, Statement, Step } from './hrana.ts';

/** A statement that is to be sent. */
export interface Waiting {
  statement: Statement;
  /** Missing for what needs no answer. */
  settle?: { resolve(result: ResultSet): void; reject(error: unknown): void };
}

export const BEGIN = 'begin immediate';
export const ROLLBACK_ONE = 'rollback to one';
/** A replica hands on requests of 4 MiB at most. */
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_STEPS = 500;

/** Each step when the one before it has succeeded. */
export function inOrder(statements: Statement[]): Step[] {
  return statements.map((statement, index) =>
    index === 0 ? statement : { ...statement, condition: { type: 'ok', step: index - 1 } },
  );
}

const IN_TRANSACTION: Condition = { type: 'not', cond: { type: 'is_autocommit' } };

/** Nothing is executed outside of the transaction; after an error, only the way back. */
export function stepsOf(waiting: Waiting[]): Step[] {
  return waiting.map(({ statement }, index) => {
    if (statement.sql === BEGIN) return statement;
    if (index === 0 || statement.sql === ROLLBACK_ONE) {
      return { ...statement, condition: IN_TRANSACTION };
    }
    const conds: Condition[] = [{ type: 'ok', step: index - 1 }, IN_TRANSACTION];
    return { ...statement, condition: { type: 'and', conds } };
  });
}

/** As many as one request may hold, at least one that is answered. */
export function takeSome(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  let answered = false;
  for (const { statement, settle } of waiting) {
    bytes += sizeOf(statement);
    if (answered && (bytes > REQUEST_BYTES || count >= REQUEST_STEPS)) break;
    answered ||= settle !== undefined;
    count += 1;
  }
  return waiting.splice(0, count);
}

function sizeOf({ sql, args = [] }: Statement): number {
  let bytes = sql.length;
  for (const value of Array.isArray(args) ? args : Object.values(args)) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array || value instanceof ArrayBuffer) bytes += value.byteLength;
    else bytes += 8;
  }
  return bytes;
}
