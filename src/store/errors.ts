// What can go wrong in storage, told apart by what a caller can do about it.

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

const UNAVAILABLE =
  /SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|LOCKED|NOMEM)|HRANA_|SERVER_ERROR|ECONN|fetch failed|socket|Unable to connect|ConnectionRefused|ConnectionClosed/i;

/** Whether an error of the database driver says that storage is away, not that the call is wrong. */
export function isUnavailable(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof StoreUnavailable) return true;
    const code = (at as { code?: unknown }).code;
    if (UNAVAILABLE.test(`${typeof code === 'string' ? code : ''} ${at.message}`)) return true;
  }
  return false;
}

/** Whether an error of the database driver is a broken unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (
      `${typeof code === 'string' ? code : ''} ${at.message}`.includes('SQLITE_CONSTRAINT_UNIQUE')
    ) {
      return true;
    }
    if (at.message.includes('UNIQUE constraint failed')) return true;
  }
  return false;
}
