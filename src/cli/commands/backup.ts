// `pqrs backup FILE|-`: one archive of the database, the files that it names and the settings.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BackupReport } from '../../operations/backup/make.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/with-administration.ts';
import { type Command, type CommandCall, printJson, requirePositionals } from '../command.ts';
import { readPassphrase } from '../passphrase.ts';
import { openProgressBar } from '../progress-bar.ts';

export const backup: Command = {
  name: 'backup',
  usage: 'FILE|- [--with-keys [--passphrase-file FILE]]',
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
    const quiet = call.json || process.env.TERM === 'dumb';
    const bar = openProgressBar(process.stderr, quiet);
    const make = (target: { kind: 'file' | 'socket'; path: string }) =>
      runAdministration(call, 'backup', { target, sealedKeys }, bar?.show);
    const report = await (file === '-'
      ? throughSocket((path) => make({ kind: 'socket', path }))
      : make({ kind: 'file', path: resolve(file) })
    ).finally(() => bar?.end());
    if (file !== '-' && call.json) return printJson(report);
    // What is printed goes beside the archive, not into it.
    for (const line of linesOf(report)) process.stderr.write(`${line}\n`);
  },
};

async function sealedKeysOf(call: CommandCall): Promise<string> {
  const folder = join(existingDataFolder(call.config.dataDir), 'keys');
  const passphrase = await readPassphrase(call.text('passphrase-file'), { twice: true });
  const { sealKeys } = await import('../../operations/backup/sealed-keys.ts');
  return (await sealKeys(folder, passphrase)).toString('base64');
}

function linesOf({ path, files, bytes, missing, withKeys }: BackupReport): string[] {
  const what = `${files} files, ${bytes} bytes, ${withKeys ? 'with' : 'without'} keys`;
  const lost = missing.map(({ sha256, why }) => `  ${sha256} is ${why}`);
  return [
    path === null
      ? `sent: ${what}; check it with pqrs restore --verify`
      : `${path}: ${what}, verified`,
    ...(lost.length === 0
      ? []
      : [`${lost.length} files that the database names could not be backed up, see pqrs doctor:`]),
    ...lost.slice(0, 20),
  ];
}

/** Hands standard output what whoever makes the archive sends to a socket for this user alone. */
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
