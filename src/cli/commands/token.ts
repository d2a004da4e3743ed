// `pqrs token`: make, list and revoke tokens.
import { CAPABILITIES } from '../../access/access.ts';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  print,
  printJson,
  printTable,
  requireOneLine,
  requirePositionals,
  UsageError,
} from '../command.ts';

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const tokenCreate: Command = {
  name: 'token create',
  usage:
    '--capability C … [--project SLUG] [--label TEXT] [--expires 30d] [--read-only] [--instance]',
  help: 'Make a token and print it, once.',
  options: {
    capability: { kind: 'texts', help: `one of ${CAPABILITIES.join(', ')}; may be repeated` },
    project: { kind: 'text', help: 'slug of its project; not needed where there is one' },
    label: { kind: 'text', help: 'what it is for' },
    expires: { kind: 'text', help: 'after how long it ends: 90s, 30m, 12h, 30d' },
    'read-only': { kind: 'switch', help: 'it may call nothing but GET, whatever it holds' },
    instance: { kind: 'switch', help: 'an owner token that may make projects and read metrics' },
  },
  async run(call) {
    requirePositionals(call);
    const capabilities = call.texts('capability').flatMap((text) => text.split(','));
    if (capabilities.length === 0) throw new UsageError('--capability is required');
    const bad = capabilities.find((one) => !CAPABILITIES.some((known) => known === one));
    if (bad !== undefined)
      throw new UsageError(`${bad} is no capability; there are ${CAPABILITIES.join(', ')}`);
    const instance = call.switched('instance');
    if (instance && !capabilities.includes('project:owner'))
      throw new UsageError('--instance goes with project:owner');
    const label = call.text('label');
    const made = await runAdministration(call, 'token create', {
      project: call.text('project'),
      capabilities,
      label: label === undefined ? undefined : requireOneLine('--label', label),
      expiresInMs: durationMs(call.text('expires')),
      instance,
      readOnly: call.switched('read-only'),
    });
    if (call.json) return printJson(made);
    print(made.token);
  },
};

export const tokenList: Command = {
  name: 'token list',
  usage: '[--project SLUG]',
  help: 'List the tokens, without their secrets.',
  options: { project: { kind: 'text', help: 'of this project alone' } },
  async run(call) {
    requirePositionals(call);
    const all = await runAdministration(call, 'token list', { project: call.text('project') });
    if (call.json) return printJson(all);
    printTable(
      ['ID', 'PROJECT', 'CAPABILITIES', 'LABEL', 'STATE', 'LAST USED'],
      all.map((one) => [
        one.id,
        one.project,
        one.capabilities.join(',') +
          (one.instance ? ' (instance)' : '') +
          (one.readOnly ? ' (read-only)' : ''),
        one.label ?? '',
        one.revokedAt ? 'revoked' : one.expiresAt ? `until ${one.expiresAt}` : 'good',
        one.lastUsedAt ?? 'never',
      ]),
    );
  },
};

export const tokenRevoke: Command = {
  name: 'token revoke',
  usage: 'ID',
  help: 'End a token, at once.',
  options: {},
  async run(call) {
    const [id = ''] = requirePositionals(call, 'ID');
    const done = await runAdministration(call, 'token revoke', { id });
    if (call.json) return printJson(done);
    print(`${id} is revoked`);
  },
};

function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  if (!amount || !unit) throw new UsageError(`--expires ${text} is no duration such as 12h or 30d`);
  return Number(amount) * (UNITS_MS[unit] ?? 0);
}
