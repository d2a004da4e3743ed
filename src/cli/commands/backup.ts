// `pqrs backup`: one archive of the database, the files that it names and the settings. `pqrs restore`: a
// backup becomes a new data folder, or is only checked; or the database of a data folder becomes the one
// that was set aside before a migration.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Missing } from '../../operations/backup/manifest.ts';
import type { RestoreReport, VerifyReport } from '../../operations/backup/restore.ts';
import { prepareNative } from '../../runtime/native.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  type Result,
  UsageError,
  withProgress,
} from '../command.ts';

const MIN_PASSPHRASE_CHARACTERS = 8;
const MAX_SHOWN = 20;

export const backup: Command = {
  name: 'backup',
  args: ['FILE|-'],
  usage: '[--with-keys --passphrase-file FILE]',
  help: 'Back up database, files and settings into one tar, beside a running server or without one.',
  options: {
    'with-keys': { kind: 'switch', help: 'put the keys in too, under a passphrase' },
    'passphrase-file': {
      kind: 'text',
      help: 'the file that holds the passphrase; - is standard input',
    },
  },
  async run(call) {
    const [file = ''] = call.positionals;
    const sealedKeys = call.switched('with-keys') ? await sealedKeysOf(call) : null;
    const report = await withProgress(process.stderr, call.json, (onProgress) => {
      const make = (target: { kind: 'file' | 'socket'; path: string }) =>
        runAdministration(call, 'backup', { target, sealedKeys }, onProgress);
      if (file === '-') return throughSocket((path) => make({ kind: 'socket', path }));
      return make({ kind: 'file', path: resolve(file) });
    });
    const { path, files, bytes, missing, withKeys } = report;
    const what = `${files} files, ${bytes} bytes, ${withKeys ? 'with' : 'without'} keys`;
    const made = path ? `${path}: ${what}, verified` : `sent: ${what}; check it with pqrs restore`;
    const lines = [made, ...missingLines(missing, 'could not be backed up, see pqrs doctor')];
    if (file !== '-') return { data: report, lines };
    // Standard output is the archive.
    process.stderr.write(`${lines.join('\n')}\n`);
    return undefined;
  },
};

async function sealedKeysOf(call: CommandCall): Promise<string> {
  const folder = join(existingDataFolder(call.config.dataDir), 'keys');
  const passphrase = await readPassphrase(call);
  if (passphrase === undefined)
    throw new UsageError('a passphrase is needed: name its file by --passphrase-file');
  if ([...passphrase].length < MIN_PASSPHRASE_CHARACTERS)
    throw new UsageError(`a passphrase has at least ${MIN_PASSPHRASE_CHARACTERS} characters`);
  const { sealKeys } = await import('../../operations/backup/sealed-keys.ts');
  return (await sealKeys(folder, passphrase)).toString('base64');
}

async function readPassphrase(call: CommandCall): Promise<string | undefined> {
  const file = call.text('passphrase-file');
  if (file === undefined) return undefined;
  const given = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  return given.replace(/\r?\n$/, '');
}

async function throughSocket<T>(make: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pqrs-backup-'));
  const path = join(folder, 'archive.sock');
  let printing: Promise<void> = Promise.resolve();
  const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
    printing = pipeline(socket, process.stdout, { end: false }).then(() => void socket.end('\n'));
    printing.catch(() => socket.destroy());
  });
  try {
    await new Promise<void>((listening, fail) => {
      server.once('error', fail);
      server.listen(path, listening);
    });
    chmodSync(path, 0o600);
    const made = await make(path);
    await printing;
    return made;
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const restore: Command = {
  name: 'restore',
  args: ['[FILE|FOLDER]'],
  usage: '[--verify] [--data-dir NEW] [--at MANIFEST] [--new-keys] | --set-aside LATEST',
  help: 'Restore a backup into a new data folder, once all of it is verified.',
  options: {
    verify: { kind: 'switch', help: 'check the backup, and restore nothing' },
    at: { kind: 'text', help: 'a manifest of the folder of backups; the newest unless given' },
    'passphrase-file': {
      kind: 'text',
      help: 'the file that holds the passphrase of the keys in the backup; - is standard input',
    },
    'new-keys': { kind: 'switch', help: 'make new keys where the backup brings none' },
    'set-aside': {
      kind: 'text',
      help: 'bring back the database that was set aside before a migration: LATEST, or a name in set-aside/',
    },
  },
  settings: ['dataDir'],
  async run(call) {
    process.umask(0o077);
    const [path] = call.positionals;
    const setAside = call.text('set-aside');
    if ((path === undefined) === (setAside === undefined))
      throw new UsageError('this command takes FILE|FOLDER, or --set-aside');
    const { BackupError } = await import('../../operations/backup/manifest.ts');
    const work = path === undefined ? bringBack(call, setAside ?? '') : restoreBackup(call, path);
    return work.catch((error: unknown) => {
      throw error instanceof BackupError ? new CommandFailed(error.message) : error;
    });
  },
};

async function restoreBackup(call: CommandCall, file: string): Promise<Result> {
  const place = { path: resolve(file), at: call.text('at') };
  const target = resolve(call.config.dataDir);
  const operations = await import('../../operations/backup/restore.ts');
  const { unpaced: pace } = await import('../../operations/backup/files.ts');
  return withProgress(process.stderr, call.json, async (onProgress = () => {}) => {
    if (call.switched('verify')) {
      const report = await operations.verifyBackup(place, pace, onProgress);
      const lines = [`good: ${summaryOf(report)}`, ...missingLines(report.missing, GONE)];
      return { data: report, lines };
    }
    prepareNative(operations.partialFolder(target));
    const { freeDiskBytes } = call.config.limits;
    const job = { ...place, target, newKeys: call.switched('new-keys'), freeDiskBytes };
    const hooks = { pace, onProgress, passphrase: () => readPassphrase(call) };
    const report = await operations.restoreBackup(job, hooks);
    const lines = [
      `restored into ${target}: ${summaryOf(report)}`,
      ...missingLines(report.missing, GONE),
      ...keyLines(report),
    ];
    return { data: report, lines };
  });
}

const GONE = 'were not there when it was made, and are gone';

function summaryOf({ version, createdAt, schema, files, bytes }: VerifyReport): string {
  return `made ${createdAt} by pqrs ${version} (schema ${schema}), ${files} files, ${bytes} bytes`;
}

function missingLines(missing: readonly Missing[], what: string): string[] {
  if (missing.length === 0) return [];
  const some = missing.slice(0, MAX_SHOWN).map(({ sha256, why }) => `  ${sha256}: ${why}`);
  return [`${missing.length} files ${what}:`, ...some];
}

function keyLines({ keys, credentials, target }: RestoreReport): string[] {
  if (keys === 'restored') return ['its keys are restored too'];
  const lost = `${credentials} sealed credentials, links to files that were handed out, and the identity that bundles are signed with`;
  if (keys === 'made') return [`new keys were made; gone with the old ones are ${lost}`];
  return [
    `it has no keys; without them these do not open: ${lost}`,
    `put the folder keys of the old data folder into ${target}, or restore with --new-keys`,
  ];
}

async function bringBack(call: CommandCall, name: string): Promise<Result> {
  if (call.switched('verify')) throw new UsageError('--verify is for backups');
  const dataDir = existingDataFolder(call.config.dataDir);
  prepareNative(dataDir);
  const operations = await import('../../operations/backup/restore.ts');
  const done = await operations.bringBack(dataDir, name);
  const version = done.version ? `pqrs ${done.version}` : `that of migration ${done.migration}`;
  const lines = [
    `the database is that of ${done.restored} again`,
    `what it was before is kept as ${done.replaced}`,
    `start it with ${version}; a newer one migrates it again`,
  ];
  return { data: done, lines };
}
