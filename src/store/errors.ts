// What can go wrong in storage, distinguished by what a caller can do about it.
import { Problem } from '../errors.ts';
import type { Faults } from '../faults.ts';
import type { Log } from '../log.ts';

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

/** Reports a file of the store that is missing, cut or altered; gives what to throw. */
export function reportGone(
  { faults, log }: { faults: Faults; log: Log },
  what: string,
  sha256: string,
): Problem {
  const detail = `${what} is missing or damaged.`;
  log.error({ file: what, sha256 }, 'a file is missing or damaged');
  const output = `${detail} pqrs doctor names all files that are.`;
  faults.report('files:content', { status: 'fail', output });
  return new Problem('gone', detail);
}

const FILES_UNAVAILABLE =
  /^(?:ENOSPC|EDQUOT|EROFS|EFBIG|ENOMEM|EMFILE|ENFILE|EIO|ENXIO|ESTALE|EACCES|EPERM|ENOENT|ENOTDIR)$/;

/** What to throw for an error of the file system: whether waiting or an administrator can help. */
export function storageError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return FILES_UNAVAILABLE.test(String(code)) ? new StoreUnavailable(error) : error;
}

const UNAVAILABLE = /SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|LOCKED|NOMEM)/;

/** Whether an error of storage says that storage is away, not that the call is wrong. */
export function isUnavailable(error: unknown): boolean {
  return causesOf(error).some((one) => one instanceof StoreUnavailable) || says(error, UNAVAILABLE);
}

export const isLocked = (error: unknown) => says(error, /SQLITE_(BUSY|LOCKED)/);

/** Whether an error of storage says that a file is no database, or no whole one. */
export const isDamaged = (error: unknown) => says(error, /SQLITE_(NOTADB|CORRUPT)/);

/** Whether the database takes no value as large as one of the statement's. */
export const isTooLarge = (error: unknown) => says(error, /SQLITE_TOOBIG|string or blob too big/);

function says(error: unknown, pattern: RegExp): boolean {
  return causesOf(error).some((one) => {
    const { code, params, message } = one as Error & { code?: unknown; params?: unknown };
    // Drizzle's message has the values of the statement in it.
    return pattern.test(`${code} ${params === undefined ? message : ''}`);
  });
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error; at = at.cause) causes.push(at);
  return causes;
}
