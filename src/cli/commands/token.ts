// `pqrs token`: make, list and revoke tokens.
import { CAPABILITIES, type Capability } from '../../access/access.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, requireOneLine, tableLines, UsageError } from '../command.ts';

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
