// What can go wrong in storage, distinguished by what a caller can do about it.

/** Storage cannot take the write or read now (disk full, database away, closing). Try again. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  constructor(cause: unknown) {
    super('storage is not available', { cause });
  }
}

/** The data folder or database is one that this executable must not touch; the text says why. */
export class StoreRefused extends Error {
  override name = 'StoreRefused';
}

/** Another process holds the data folder, as yet. */
export class FolderInUse extends StoreRefused {
  constructor() {
    super('another pqrs process uses this data folder');
  }
}

/** A key that the instance had is missing or damaged; the message says what does not work. */
export class KeyLost extends Error {
  override name = 'KeyLost';
}

const UNAVAILABLE = /SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|LOCKED|NOMEM)/;

/** Whether an error of storage says that storage is away, not that the call is wrong. */
export function isUnavailable(error: unknown): boolean {
  return causesOf(error).some(
    (one) => one instanceof StoreUnavailable || UNAVAILABLE.test(wordsOf(one)),
  );
}

/** Whether an error of storage says that another process has the file. */
export function isLocked(error: unknown): boolean {
  return causesOf(error).some((one) => /SQLITE_(BUSY|LOCKED)/.test(wordsOf(one)));
}

/** Whether an error of storage says that there is no room. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some((one) => /SQLITE_FULL|ENOSPC|EDQUOT/.test(wordsOf(one)));
}

/** Whether an error of storage says that a file is no database, or no whole one. */
export function isDamaged(error: unknown): boolean {
  return causesOf(error).some((one) => /SQLITE_(NOTADB|CORRUPT)/.test(wordsOf(one)));
}

export function isUniqueViolation(error: unknown): boolean {
  return causesOf(error).some((one) =>
    /SQLITE_CONSTRAINT_UNIQUE|UNIQUE constraint failed/.test(wordsOf(one)),
  );
}

/** Whether the database takes no value as large as one of the statement's. */
export function isTooLarge(error: unknown): boolean {
  return causesOf(error).some((one) => /SQLITE_TOOBIG|string or blob too big/.test(wordsOf(one)));
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error; at = at.cause) causes.push(at);
  return causes;
}

function wordsOf(error: Error): string {
  const { code, params } = error as { code?: unknown; params?: unknown };
  const message = params === undefined ? error.message : '';
  return `${typeof code === 'string' ? code : ''} ${message}`;
}
