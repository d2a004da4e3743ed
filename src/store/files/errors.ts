// What can go wrong with a file, distinguished by what a caller can do. `code` is that of the problem
// to answer with, the message may be shown, the cause may not.
import type { Faults } from '../../faults.ts';
import type { Log } from '../../log.ts';
import { StoreUnavailable } from '../errors.ts';

export class FileTooLarge extends Error {
  override name = 'FileTooLarge';
  readonly code = 'too_large';
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`the file is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

export class FileAborted extends Error {
  override name = 'FileAborted';
  readonly code = 'malformed_body';
  constructor(cause: unknown) {
    super('the file was not sent to its end', { cause });
  }
}

/** A file that a row names is missing, cut or altered; the message says which. */
export class ContentGone extends Error {
  override name = 'ContentGone';
  readonly code = 'gone';
}

export class StorageUnavailable extends StoreUnavailable {
  override name = 'StorageUnavailable';
  readonly code = 'unavailable';
}

/** Reports a file of the store that is missing, cut or altered; gives what to throw: `410`. */
export function reportGone(
  { faults, log }: { faults: Faults; log: Log },
  what: string,
  sha256: string,
): ContentGone {
  const gone = new ContentGone(`${what} is missing or damaged.`);
  log.error({ file: what, sha256 }, 'a file is missing or damaged');
  const output = `${gone.message} pqrs doctor names all files that are.`;
  faults.report('files:content', { status: 'fail', output });
  return gone;
}

const UNAVAILABLE =
  /^(?:ENOSPC|EDQUOT|EROFS|EFBIG|ENOMEM|EMFILE|ENFILE|EIO|ENXIO|ESTALE|EACCES|EPERM|ENOENT|ENOTDIR)$/;

/** What to throw for an error of the file system: whether waiting or an administrator can help. */
export function storageError(error: unknown): unknown {
  return UNAVAILABLE.test(codeOf(error)) ? new StorageUnavailable(error) : error;
}

/**
 * What to throw for an error of the source of a file's bytes: the error itself where it has a problem's
 * code (those of systems are capitals or numbers).
 */
export function sourceError(error: unknown): unknown {
  return /^[a-z][a-z_]*$/.test(codeOf(error)) ? error : new FileAborted(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? '') : '';
}
