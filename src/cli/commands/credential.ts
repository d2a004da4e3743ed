// `pqrs credential`: set, list and remove the credentials that commands name. A value is read from
// standard input or a file: arguments can be seen by others on the machine.
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { runAdministration } from '../administration/run.ts';
import { type Command, tableLines, UsageError } from '../command.ts';

const PROJECT = {
  kind: 'text',
  help: 'slug of its project; not needed where there is one',
} as const;

export const credentialSet: Command = {
  name: 'credential set',
  args: ['NAME'],
  usage: '[--from-file FILE] [--project SLUG]',
  help: 'Set or replace a credential; its value comes from standard input or a file.',
  options: {
    'from-file': { kind: 'text', help: 'the file that holds the value' },
    project: PROJECT,
  },
  async run(call) {
    const [name = ''] = call.positionals;
    const value = await readValue(call.text('from-file'));
    const project = call.text('project');
    const done = await runAdministration(call, 'credential set', { project, name, value });
    if (done.warning !== undefined && !call.json) process.stderr.write(`pqrs: ${done.warning}\n`);
    return { data: done, lines: [`${name} is set (version ${done.version})`] };
  },
};

async function readValue(file: string | undefined): Promise<string> {
  if (file === undefined && process.stdin.isTTY)
    process.stderr.write('The value, then Ctrl-D at the start of a line:\n');
  const bytes = file === undefined ? await buffer(process.stdin) : await readFile(file);
  if (!isUtf8(bytes)) throw new UsageError('the value is not a text in UTF-8');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}

export const credentialList: Command = {
  name: 'credential list',
  usage: '[--project SLUG]',
  help: 'List the credentials, without their values.',
  options: { project: PROJECT },
  async run(call) {
    const all = await runAdministration(call, 'credential list', { project: call.text('project') });
    const rows = all.map((one) => [
      one.name,
      String(one.version),
      one.updatedAt,
      one.commands.join(', '),
    ]);
    return { data: all, lines: tableLines(['NAME', 'VERSION', 'SET', 'COMMANDS'], rows) };
  },
};

export const credentialRemove: Command = {
  name: 'credential rm',
  args: ['NAME'],
  usage: '[--project SLUG]',
  help: 'Remove a credential. What was leased of it stays, sealed, to be masked in late reports.',
  options: { project: PROJECT },
  async run(call) {
    const [name = ''] = call.positionals;
    const project = call.text('project');
    const data = await runAdministration(call, 'credential rm', { project, name });
    return { data, lines: [`${name} is removed`] };
  },
};
