// `pqrs credential`: set, list and remove the credentials that commands name. A value is read from
// standard input or a file: arguments can be seen by others on the machine.
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  type CommandCall,
  print,
  printJson,
  printTable,
  requirePositionals,
  UsageError,
} from '../command.ts';

const PROJECT = {
  kind: 'text',
  help: 'slug of its project; not needed where there is one',
} as const;

export const credentialSet: Command = {
  name: 'credential set',
  usage: 'NAME [--from-file FILE] [--project SLUG]',
  help: 'Set or replace a credential; its value comes from standard input or a file.',
  options: {
    'from-file': { kind: 'text', help: 'the file that holds the value' },
    project: PROJECT,
  },
  async run(call) {
    const [name = ''] = requirePositionals(call, 'NAME');
    const value = await readValue(call);
    const project = call.text('project');
    const done = await runAdministration(call, 'credential set', { project, name, value });
    if (call.json) return printJson(done);
    print(`${name} is set (version ${done.version})`);
    if (done.warning !== undefined) process.stderr.write(`pqrs: ${done.warning}\n`);
  },
};

export const credentialList: Command = {
  name: 'credential list',
  usage: '[--project SLUG]',
  help: 'List the credentials, without their values.',
  options: { project: PROJECT },
  async run(call) {
    requirePositionals(call);
    const all = await runAdministration(call, 'credential list', { project: call.text('project') });
    if (call.json) return printJson(all);
    printTable(
      ['NAME', 'VERSION', 'SET', 'COMMANDS'],
      all.map((one) => [one.name, String(one.version), one.updatedAt, one.commands.join(', ')]),
    );
  },
};

export const credentialRemove: Command = {
  name: 'credential rm',
  usage: 'NAME [--project SLUG]',
  help: 'Remove a credential. What was leased of it stays, sealed, to be masked in late reports.',
  options: { project: PROJECT },
  async run(call) {
    const [name = ''] = requirePositionals(call, 'NAME');
    const project = call.text('project');
    const done = await runAdministration(call, 'credential rm', { project, name });
    if (call.json) return printJson(done);
    print(`${name} is removed`);
  },
};

async function readValue(call: CommandCall): Promise<string> {
  const file = call.text('from-file');
  if (file === undefined && process.stdin.isTTY)
    process.stderr.write('The value, then Ctrl-D at the start of a line:\n');
  const bytes = file === undefined ? await buffer(process.stdin) : await readFile(file);
  if (!isUtf8(bytes)) throw new UsageError('the value is not a text in UTF-8');
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}
