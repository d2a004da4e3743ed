// `pqrs token`, `pqrs credential`, `pqrs keys`. The value of a credential is read from standard input or a
// file: arguments can be seen by others on the machine.
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { CAPABILITIES, type Capability } from '../../access/access.ts';
import type { KeyKind } from '../../operations/rotate-keys.ts';
import { earlierBundleKeys, openBundleKey } from '../../store/keys/bundle-key.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, requireOneLine, tableLines, UsageError } from '../command.ts';

const PROJECT = {
  kind: 'text',
  help: 'slug of its project; not needed where there is one',
} as const;
const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const tokenCreate: Command = {
  name: 'token create',
  usage:
    '--capability C … [--project SLUG] [--label TEXT] [--expires 30d] [--read-only] [--instance]',
  help: 'Make a token and print it, once.',
  options: {
    capability: { kind: 'texts', help: `one of ${CAPABILITIES.join(', ')}; may be repeated` },
    project: PROJECT,
    label: { kind: 'text', help: 'what it is for' },
    expires: { kind: 'text', help: 'after how long it ends: 90s, 30m, 12h, 30d' },
    'read-only': { kind: 'switch', help: 'it may call nothing but GET, whatever it holds' },
    instance: { kind: 'switch', help: 'an owner token that may make projects and read metrics' },
  },
  async run(call) {
    const capabilities = call
      .texts('capability')
      .flatMap((text) => text.split(',').map(toCapability));
    if (capabilities.length === 0) throw new UsageError('--capability is required');
    const instance = call.switched('instance');
    if (instance && !capabilities.includes('project:owner'))
      throw new UsageError('--instance goes with project:owner');
    const label = call.text('label');
    const made = await runAdministration(call, 'token create', {
      project: call.text('project'),
      capabilities: [...new Set(capabilities)],
      label: label === undefined ? null : requireOneLine('--label', label),
      expiresInMs: durationMs(call.text('expires')),
      instance,
      readOnly: call.switched('read-only'),
    });
    return { data: made, lines: [made.token] };
  },
};

function toCapability(text: string): Capability {
  const found = CAPABILITIES.find((known) => known === text);
  if (found !== undefined) return found;
  throw new UsageError(`${text} is no capability; there are ${CAPABILITIES.join(', ')}`);
}

function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = ''] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  if (!amount) throw new UsageError(`--expires ${text} is no duration such as 12h or 30d`);
  return Number(amount) * (UNITS_MS[unit] ?? 0);
}

export const tokenList: Command = {
  name: 'token list',
  usage: '[--project SLUG]',
  help: 'List the tokens, without their secrets.',
  options: { project: { kind: 'text', help: 'of this project alone' } },
  async run(call) {
    const all = await runAdministration(call, 'token list', { project: call.text('project') });
    const rows = all.map((one) => {
      const instance = one.instance ? ' (instance)' : '';
      const readOnly = one.readOnly ? ' (read-only)' : '';
      const capabilities = `${one.capabilities.join(',')}${instance}${readOnly}`;
      const good = one.expiresAt ? `until ${one.expiresAt}` : 'good';
      const state = one.revokedAt ? 'revoked' : good;
      const used = one.lastUsedAt ?? 'never';
      return [one.id, one.project, capabilities, one.label ?? '', state, used];
    });
    const headings = ['ID', 'PROJECT', 'CAPABILITIES', 'LABEL', 'STATE', 'LAST USED'];
    return { data: all, lines: tableLines(headings, rows) };
  },
};

export const tokenRevoke: Command = {
  name: 'token revoke',
  args: ['ID'],
  help: 'End a token, at once.',
  async run(call) {
    const [id = ''] = call.positionals;
    const data = await runAdministration(call, 'token revoke', { id });
    return { data, lines: [`${id} is revoked`] };
  },
};

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
    const rows = all.map(({ name, version, updatedAt, commands }) => {
      return [name, String(version), updatedAt, commands.join(', ')];
    });
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

const KINDS = ['signing', 'sealing', 'bundle'] as const satisfies readonly KeyKind[];

export const keysShow: Command = {
  name: 'keys show',
  help: 'Print the public key that signs bundles of validations, and earlier ones.',
  settings: ['dataDir'],
  async run({ config }) {
    // The key is a file of its own, so it does not matter whether a server has the folder open.
    const folder = join(existingDataFolder(config.dataDir), 'keys');
    const { publicText: publicKey } = await openBundleKey(folder);
    const earlier = await earlierBundleKeys(folder);
    const lines = [publicKey, ...earlier.map((one) => `${one} (earlier)`)];
    return { data: { publicKey, earlier }, lines };
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  args: [KINDS.join('|')],
  help: 'Make a new key. Links and bundles of the earlier one stay good, credentials are sealed anew; who trusts bundles is to be given the new one.',
  async run(call) {
    const [word] = call.positionals;
    const kind = KINDS.find((one) => one === word);
    if (!kind) throw new UsageError(`${word} is no kind of key; there are ${KINDS.join(', ')}`);
    const rotation = await runAdministration(call, 'keys rotate', { kind });
    const { key, earlier, removed, resealed, unreadable } = rotation;
    const counts = `${earlier.length} earlier keys are still known, ${removed.length} were removed`;
    const lines = [`the ${kind} key is ${key}`, counts];
    if (kind === 'sealing') lines.push(`${resealed} credentials are sealed with it`);
    if (unreadable > 0) lines.push(`${unreadable} could not be opened: set them anew`);
    return { data: rotation, lines };
  },
};
