// The libSQL client of the embedded database: what Drizzle asks of `@libsql/client` over one
// connection of the `libsql` package, with a cache of prepared statements and raw rows. Everything but
// `execApart` is synchronous; the promises are the interface's.
import { setImmediate } from 'node:timers/promises';
import type { InValue, ResultSet, Row } from '@libsql/client';
import Database from 'libsql';
import ApartDatabase from 'libsql/promise';
import { FolderInUse, isLocked, StoreRefused } from '../errors.ts';
import { parsePacked, resultSet } from './drizzle.ts';

export type EmbeddedClient = ReturnType<typeof openEmbeddedClient>;

interface ClientOptions {
  /** Nothing is written, a log that a crash has left included. */
  readonly?: boolean;
  onError?(error: unknown): void;
}

interface Prepared {
  statement: Database.Statement;
  reader: boolean;
  isRead: boolean;
  columns: string[];
  /** Each row is one blob, a JSON array. */
  isPacked: boolean;
}

const MAX_STATEMENTS = 400;

/** Opens the file as SQLite database. @throws StoreRefused when it cannot be opened */
export function openEmbeddedClient(
  path: string,
  pragmas: string[],
  { readonly = false, onError = () => {} }: ClientOptions = {},
) {
  const database = openAt(path, readonly);
  // A process that was killed may let go of the file a moment after its lock.
  try {
    for (const pragma of [PATIENT, ...pragmas, IMPATIENT]) prepareWith(database, pragma);
  } catch (error) {
    database.close();
    throw error;
  }
  return createClient(database, onError);
}

function openAt(path: string, readonly: boolean): Database.Database {
  try {
    return new Database(path, { readonly } as Database.Options);
  } catch {
    throw new StoreRefused(
      `${path} cannot be opened: it is no file that this user reads and writes`,
    );
  }
}

const PATIENT = 'pragma busy_timeout = 5000';
const IMPATIENT = 'pragma busy_timeout = 0';

function createClient(database: Database.Database, onError: (error: unknown) => void) {
  const statements = new Map<string, Prepared>();
  let isClosed = false;
  let writes = 0;

  function prepare(sql: string): Prepared {
    const known = statements.get(sql);
    if (known) return known;
    let statement = database.prepare(sql);
    const reader = statement.reader;
    const described = reader ? (statement.columns() as ColumnDescription[]) : [];
    // A statement that answers rows may write all the same: `insert … returning`.
    const isRead = reader && /^\s*(?:select|pragma)\b/i.test(sql);
    const isPacked = isRead && isPackable(described);
    if (isPacked) statement = database.prepare(packed(sql, described.length));
    if (reader) statement.raw(true);
    const columns = described.map((column) => column.name);
    const prepared = { statement, reader, isRead, columns, isPacked };
    for (const oldest of statements.keys()) {
      if (statements.size < MAX_STATEMENTS) break;
      statements.delete(oldest);
    }
    statements.set(sql, prepared);
    return prepared;
  }

  function run(sql: string, args: InValue[] = []): ResultSet {
    const { statement, reader, isRead, columns, isPacked } = prepare(sql);
    const values = args.map(bindValue);
    if (!isRead) writes += 1;
    if (reader) {
      const rows = statement.all(values);
      return resultSet(columns, isPacked ? unpacked(rows) : (rows as Row[]), 0, undefined);
    }
    const info = statement.run(values);
    return resultSet(columns, [], info.changes, info.lastInsertRowid);
  }

  function reported<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  return {
    /** How many statements have run that are no plain reads. */
    get writes() {
      return writes;
    },
    get inTransaction() {
      return database.inTransaction;
    },
    /** Runs one or more statements without parameters, at once. */
    exec(sql: string): void {
      writes += 1;
      reported(() => database.exec(sql));
    },
    /** The same in a thread, while the event loop goes on. */
    async execApart(sql: string): Promise<void> {
      writes += 1;
      try {
        await ApartDatabase.prototype.exec.call(database, sql);
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        // Bun answers no other call of a thread while code runs that this one's answer woke: what
        // follows has a turn of its own, or what it awaits of a thread would never come.
        await setImmediate();
      }
    },
    async execute(
      statement: string | { sql: string; args: InValue[] },
      args?: InValue[],
    ): Promise<ResultSet> {
      return reported(() =>
        typeof statement === 'string' ? run(statement, args) : run(statement.sql, statement.args),
      );
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      statements.clear();
      database.close();
    },
  };
}

interface ColumnDescription {
  name: string;
  type: string | null;
}

/**
 * Whether the rows of a statement are read as JSON. A text that is no UTF-8, as on a damaged page,
 * aborts the process inside libsql (tursodatabase/libsql#1223), a blob does not. From about ten columns
 * on it is quicker besides; below, it would cost up to a third.
 */
function isPackable(columns: ColumnDescription[]): boolean {
  return (
    columns.length >= MIN_PACKED_COLUMNS &&
    columns.length <= MAX_FUNCTION_ARGUMENTS &&
    columns.every(({ type }) => type !== 'BLOB')
  );
}

const MIN_PACKED_COLUMNS = 9;
const MAX_FUNCTION_ARGUMENTS = 127;

function packed(sql: string, count: number): string {
  const names = Array.from({ length: count }, (_, index) => `c${index}`).join();
  return `with packed(${names}) as (${sql}) select cast(json_array(${names}) as blob) from packed`;
}

function unpacked(rows: unknown[]): Row[] {
  return (rows as [Uint8Array][]).map(([row]) => parsePacked(row));
}

/** @throws Error that says what the database answered: its own has no text in its stack */
function prepareWith(database: { exec(sql: string): void }, pragma: string): void {
  try {
    database.exec(pragma);
  } catch (cause) {
    const { message, code, rawCode } = cause as Error & { code?: string; rawCode?: number };
    throw new Error(`${pragma}: ${message} (${code}, ${rawCode})`, { cause });
  }
}

function bindValue(value: InValue): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Date) return BigInt(value.getTime());
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  return value ?? null;
}

/**
 * Takes the lock. The file must never be opened with file functions inside this process: closing
 * any descriptor of it would drop the lock.
 * @throws FolderInUse when another process holds it
 */
export function takeLock(path: string): () => void {
  const database = new Database(path, { timeout: 0 } as Database.Options);
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    throw isLocked(error) ? new FolderInUse() : error;
  }
  return () => database.close();
}
