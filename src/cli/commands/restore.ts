// `pqrs restore`: a backup becomes a new data folder, or is only checked; or the database of a data
// folder becomes the one that was set aside before a migration.
import { resolve } from 'node:path';
import type { Manifest } from '../../operations/backup/manifest.ts';
import type { RestoreReport, VerifyReport } from '../../operations/backup/restore.ts';
import { prepareNative } from '../../runtime/native.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  print,
  printJson,
  requirePositionals,
  UsageError,
} from '../command.ts';
import { readPassphrase } from '../passphrase.ts';
import { openProgressBar } from '../progress-bar.ts';

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
    if (setAside !== undefined) return restoreSetAside(call, setAside);
    const [path = ''] = requirePositionals(call, 'FILE|FOLDER');
    const place = { path: resolve(path), at: call.text('at') };
    const target = resolve(call.config.dataDir);
    const { partialFolder, restoreBackup, verifyBackup } = await import(
      '../../operations/backup/restore.ts'
    );
    const { unpaced } = await import('../../operations/backup/files.ts');
    const { BackupError } = await import('../../operations/backup/manifest.ts');
    const quiet = call.json || process.env.TERM === 'dumb';
    const bar = openProgressBar(process.stderr, quiet);
    const show = bar?.show ?? (() => {});
    try {
      if (call.switched('verify')) {
        const report = await verifyBackup(place, unpaced, show).finally(() => bar?.end());
        if (call.json) return printJson(report);
        print(`good: ${summaryOf(report)}`);
        return printMissing(report.missing);
      }
      prepareNative(partialFolder(target));
      const asked = call.text('passphrase-file');
      async function passphrase(): Promise<string | undefined> {
        bar?.end();
        return asked === undefined && !process.stdin.isTTY ? undefined : readPassphrase(asked);
      }
      const job = {
        ...place,
        target,
        newKeys: call.switched('new-keys'),
        freeDiskBytes: call.config.limits.freeDiskBytes,
      };
      const hooks = { pace: unpaced, onProgress: show, passphrase };
      const report = await restoreBackup(job, hooks).finally(() => bar?.end());
      if (call.json) return printJson(report);
      print(`restored into ${target}: ${summaryOf(report)}`);
      printMissing(report.missing);
      for (const line of keyLines(report)) print(line);
    } catch (error) {
      throw error instanceof BackupError ? new CommandFailed(error.message) : error;
    }
  },
};

function summaryOf({ version, createdAt, schema, files, bytes }: VerifyReport): string {
  return `made ${createdAt} by pqrs ${version} (schema ${schema}), ${files} files, ${bytes} bytes`;
}

function printMissing(missing: Manifest['missing']): void {
  if (missing.length === 0) return;
  print(`${missing.length} files were not there when it was made, and are gone:`);
  for (const { sha256, why } of missing.slice(0, 20)) print(`  ${sha256} was ${why}`);
}

/** What of the old instance opens, and what does not. */
function keyLines({ keys, credentials, target }: RestoreReport): string[] {
  if (keys === 'restored') return ['its keys are restored too'];
  const lost = `${credentials} sealed credentials, links to files that were handed out, and the identity that bundles are signed with`;
  if (keys === 'made') {
    return [
      `new keys were made; gone with the old ones are ${lost}`,
      ...(credentials === 0 ? [] : ['set the credentials anew by pqrs credential set']),
    ];
  }
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
  const { BackupError } = await import('../../operations/backup/manifest.ts');
  try {
    const done = await bringBack(dataDir, name);
    if (call.json) return printJson(done);
    print(`the database is that of ${done.restored} again`);
    print(`what it was before is kept as ${done.replaced}`);
    print(
      done.version === null
        ? `start it with the version whose newest migration is ${done.migration}; a newer one migrates it again`
        : `start it with pqrs ${done.version}; a newer one migrates it again`,
    );
  } catch (error) {
    throw error instanceof BackupError ? new CommandFailed(error.message) : error;
  }
}
