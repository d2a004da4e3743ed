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
  print,
  printJson,
  requirePositionals,
  UsageError,
} from '../command.ts';
import { openProgressBar } from '../progress-bar.ts';

const MIN_PASSPHRASE_CHARACTERS = 8;
const MAX_SHOWN = 20;

export const backup: Command = {
  name: 'backup',
  usage: 'FILE|- [--with-keys --passphrase-file FILE]',
  help: 'Back up database, files and settings into one tar, beside a running server or without one.',
  options: {
    'with-keys': { kind: 'switch', help: 'put the keys in too, under a passphrase' },
    'passphrase-file': {
      kind: 'text',
      help: 'the file that holds the passphrase; - is standard input',
    },
  },
  async run(call) {
    const [file = ''] = requirePositionals(call, 'FILE|-');
    const sealedKeys = call.switched('with-keys') ? await sealedKeysOf(call) : null;
    const bar = openProgressBar(process.stderr, call.json);
    const make = (target: { kind: 'file' | 'socket'; path: string }) =>
      runAdministration(call, 'backup', { target, sealedKeys }, bar?.show);
    const report = await (file === '-'
      ? throughSocket((path) => make({ kind: 'socket', path }))
      : make({ kind: 'file', path: resolve(file) })
    ).finally(() => bar?.end());
    if (file !== '-' && call.json) return printJson(report);
    const { path, files, bytes, missing, withKeys } = report;
    const what = `${files} files, ${bytes} bytes, ${withKeys ? 'with' : 'without'} keys`;
    const head =
      path === null
        ? `sent: ${what}; check it with pqrs restore --verify`
        : `${path}: ${what}, verified`;
    const lost = missingLines(missing, 'could not be backed up, see pqrs doctor');
    // Standard output may be the archive.
    process.stderr.write(`${[head, ...lost].join('\n')}\n`);
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
  usage:
    'FILE|FOLDER [--verify] [--data-dir NEW] [--at MANIFEST] [--new-keys] | --set-aside LATEST',
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
    const setAside = call.text('set-aside');
    const { BackupError } = await import('../../operations/backup/manifest.ts');
    try {
      await (setAside === undefined ? restoreBackup(call) : restoreSetAside(call, setAside));
    } catch (error) {
      throw error instanceof BackupError ? new CommandFailed(error.message) : error;
    }
  },
};

async function restoreBackup(call: CommandCall): Promise<void> {
  const [path = ''] = requirePositionals(call, 'FILE|FOLDER');
  const place = { path: resolve(path), at: call.text('at') };
  const target = resolve(call.config.dataDir);
  const operations = await import('../../operations/backup/restore.ts');
  const { unpaced: pace } = await import('../../operations/backup/files.ts');
  const bar = openProgressBar(process.stderr, call.json);
  const onProgress = bar?.show ?? (() => {});
  if (call.switched('verify')) {
    const report = await operations.verifyBackup(place, pace, onProgress).finally(() => bar?.end());
    if (call.json) return printJson(report);
    print(`good: ${summaryOf(report)}`);
    return printLines(missingLines(report.missing, GONE));
  }
  prepareNative(operations.partialFolder(target));
  const job = {
    ...place,
    target,
    newKeys: call.switched('new-keys'),
    freeDiskBytes: call.config.limits.freeDiskBytes,
  };
  const hooks = { pace, onProgress, passphrase: () => readPassphrase(call) };
  const report = await operations.restoreBackup(job, hooks).finally(() => bar?.end());
  if (call.json) return printJson(report);
  print(`restored into ${target}: ${summaryOf(report)}`);
  printLines(missingLines(report.missing, GONE));
  printLines(keyLines(report));
}

const GONE = 'were not there when it was made, and are gone';

function printLines(lines: readonly string[]): void {
  for (const line of lines) print(line);
}

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

async function restoreSetAside(call: CommandCall, name: string): Promise<void> {
  requirePositionals(call);
  if (call.switched('verify')) throw new UsageError('--verify is for backups');
  const dataDir = existingDataFolder(call.config.dataDir);
  prepareNative(dataDir);
  const { bringBack } = await import('../../operations/backup/set-aside.ts');
  const done = await bringBack(dataDir, name);
  if (call.json) return printJson(done);
  print(`the database is that of ${done.restored} again`);
  print(`what it was before is kept as ${done.replaced}`);
  const version =
    done.version === null
      ? `the version whose newest migration is ${done.migration}`
      : `pqrs ${done.version}`;
  print(`start it with ${version}; a newer one migrates it again`);
}
