// Loads libsql's native addon inside the compiled executable. Bun would unpack it into the
// temporary folder, which hardened machines mount read-only or without execution, so it is unpacked
// into the data folder: the build (scripts/build-libsql.ts) makes libsql call `loadAddon` when the
// first database is opened. Outside the executable libsql loads its addon itself.
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

export interface EmbeddedAddon {
  /** Where the executable shows the addon's bytes. */
  readonly file: string;
  /** SHA-256 of those bytes, hexadecimal: the copy's name. */
  readonly sha256: string;
  /** Their CRC-32, by which a damaged copy is known: each start reads it, and this is quick. */
  readonly crc32: number;
  readonly bytes: number;
}

/** The library cannot be loaded: it can be put nowhere, or the system lacks what it needs; the text says which. */
export class LibraryUnavailable extends Error {
  override name = 'LibraryUnavailable';
}

const PIECE_BYTES = 256 * 1024;

let dataFolder: string | undefined;

/**
 * Names the data folder in which the executable keeps its native addon (`<dataDir>/.native`). To be
 * called by each thread (main and workers) before its first database is opened; nothing is read or
 * written until then. Without effect outside the executable.
 */
export function prepareNative(dataDir: string): void {
  dataFolder = resolve(dataDir);
}

/**
 * Unpacks the addon where the copy is missing or not whole, and loads it.
 * @throws LibraryUnavailable when it can be loaded neither from the data folder nor from the temporary folder,
 *   or the system lacks a library that it needs.
 */
export function loadAddon(addon: EmbeddedAddon): unknown {
  const failures: string[] = [];
  try {
    if (dataFolder === undefined) throw new Error('not known, prepareNative was not called');
    return open(unpack(addon, join(dataFolder, '.native')));
  } catch (error) {
    if (error instanceof LibraryUnavailable) throw error;
    failures.push(`data folder: ${message(error)}`);
  }
  try {
    return open(unpack(addon, privateTemporaryFolder()));
  } catch (error) {
    failures.push(`temporary folder: ${message(error)}`);
  }
  throw new LibraryUnavailable(
    `The database library cannot be loaded: the data folder or the temporary folder must be writable and allow execution (${failures.join('; ')}).`,
  );
}

// All threads must load the very same file: two copies would be two SQLite libraries in one process,
// which undo each other's locks. So the folder has a fixed name, and a worker, which comes after the
// main thread, takes the copy as it finds it.
function unpack(addon: EmbeddedAddon, folder: string): string {
  const path = join(folder, `libsql-${addon.sha256.slice(0, 16)}.node`);
  if (existsSync(path) && (!isMainThread || isWhole(path, addon))) return path;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}.${threadId}.tmp`;
  rmSync(partial, { force: true });
  const descriptor = openSync(partial, 'wx', 0o500);
  try {
    writeFileSync(descriptor, readFileSync(addon.file));
    fsyncSync(descriptor);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return path;
}

// In a shared temporary folder anyone may have made the folder first, to be asked for its contents.
function privateTemporaryFolder(): string {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `pqrs-native-${user ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
  if (!found.isDirectory() || !isPrivate) {
    throw new Error(`${folder} is not a folder that only this user may write`);
  }
  return folder;
}

function open(path: string): unknown {
  const module = { exports: {} };
  try {
    process.dlopen(module, path, constants.dlopen?.RTLD_LAZY ?? 1);
  } catch (error) {
    const missing = missingFromSystem(message(error));
    if (missing === undefined) throw error;
    throw new LibraryUnavailable(
      `The database library needs ${missing}, which this system does not have: install it (libgcc_s is in the package libgcc-s1 or libgcc).`,
    );
  }
  return module.exports;
}

export function missingFromSystem(text: string): string | undefined {
  const found =
    // glibc, musl, and glibc of an older system.
    /^([^/\s:]+): cannot open shared object file/.exec(text) ??
    /^Error loading shared library ([^/\s:]+):/.exec(text) ??
    /version [`']([^']+)' not found/.exec(text);
  return found?.[1];
}

// Piece by piece into one small buffer: the whole of it at once would stay in the memory in use.
function isWhole(path: string, addon: EmbeddedAddon): boolean {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const descriptor = openSync(path, 'r');
  try {
    let crc = 0;
    let total = 0;
    for (let read = -1; read !== 0; total += read) {
      read = readSync(descriptor, piece, 0, PIECE_BYTES, total);
      crc = Bun.hash.crc32(piece.subarray(0, read), crc);
    }
    return total === addon.bytes && crc === addon.crc32;
  } finally {
    closeSync(descriptor);
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
