// The settings: one schema for flags, environment, the file `pqrs.toml` and defaults, in this
// order. A bad or unknown setting stops the start with a line that names it.
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { DEFAULT_LIMITS, LIMIT_ENTRIES, type Limits } from './limits.ts';
import { ACCESS_LOGS, type AccessLogMode, LOG_LEVELS, type LogLevel } from './log.ts';
import { isSlug, SLUG } from './slug.ts';

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | undefined;
  databaseToken: string | undefined;
  /** Slug of the project that the first start makes. */
  project: string;
  demo: boolean;
  openProbes: boolean;
  corsOrigins: string[];
  trustedProxies: string[];
  logLevel: LogLevel;
  accessLog: AccessLogMode;
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  /** The folder of scheduled backups; none are made where it is left out. */
  backupDir: string | undefined;
  /** Milliseconds from one to the next. */
  backupEvery: number;
  /** How many are kept. */
  backupKeep: number;
  limits: Limits;
}

/** A setting that cannot be used; the text names it and says what is wrong. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Source = { name: string; value: unknown };

interface Setting {
  key: string;
  kind: 'text' | 'slug' | 'number' | 'switch' | 'networks' | 'choice' | 'origins' | 'duration';
  /** Holds a secret: no flag; `_FILE` behind the variable reads it from a file. */
  secret?: boolean;
  choices?: readonly string[];
  least?: number;
  most?: number;
  fallback: unknown;
  help: string;
}

const NEVER_ZERO =
  /InFlight$|Percent$|Seconds$|^(?:logBatchEntries|bodyBytesPerSecond|writesPerCommit)$/;

function mostOf(limit: string): number {
  if (limit.endsWith('Percent')) return 100;
  return limit === 'idleSeconds' ? 255 : Number.MAX_SAFE_INTEGER;
}

const SETTINGS: Setting[] = [
  setting('host', 'text', '127.0.0.1', 'address to listen on'),
  setting('port', 'number', 4870, 'port to listen on; 0 takes a free one', { most: 65_535 }),
  setting('dataDir', 'text', './pqrs-data', 'the data folder'),
  setting(
    'databaseUrl',
    'text',
    undefined,
    'a libSQL server instead of the file in the data folder',
  ),
  setting('databaseToken', 'text', undefined, 'its authentication token', { secret: true }),
  setting('project', 'slug', 'default', 'slug of the project that the first start makes'),
  setting('demo', 'switch', false, 'let read:demo tokens read projects that allow it'),
  setting('openProbes', 'switch', false, 'health and readiness without a token'),
  setting('corsOrigins', 'origins', [], 'origins whose pages may call the API, comma separated'),
  setting(
    'trustedProxies',
    'networks',
    [],
    'addresses or ranges whose X-Forwarded-For is believed',
  ),
  setting('logLevel', 'choice', 'info', `one of ${LOG_LEVELS.join(', ')}`, { choices: LOG_LEVELS }),
  setting('accessLog', 'choice', 'errors', `requests that are logged: ${ACCESS_LOGS.join(', ')}`, {
    choices: ACCESS_LOGS,
  }),
  setting('tlsCert', 'text', undefined, 'file of the TLS certificate'),
  setting('tlsKey', 'text', undefined, 'file of the TLS key'),
  setting('backupDir', 'text', undefined, 'folder of scheduled backups; without it none are made'),
  setting(
    'backupEvery',
    'duration',
    '24h',
    'time from one scheduled backup to the next, such as 30m, 24h or 7d',
  ),
  setting('backupKeep', 'number', 7, 'how many scheduled backups are kept', { least: 1 }),
  ...LIMIT_ENTRIES.map(([key, { fallback, help }]) =>
    setting(key, 'number', fallback, help, {
      least: NEVER_ZERO.test(key) ? 1 : 0,
      most: mostOf(key),
    }),
  ),
];

function setting(
  key: string,
  kind: Setting['kind'],
  fallback: unknown,
  help: string,
  options: Pick<Setting, 'secret' | 'choices' | 'least' | 'most'> = {},
): Setting {
  return { key, kind, fallback, help, ...options };
}

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Variables of clients and tests, which the server does not read but does not refuse either. */
const CLIENT_VARIABLES = /^PQRS_((URL|TOKEN(_[A-Z]+)?)(_FILE)?|RUN_ID)$/;

export interface ConfigInput {
  flags: Record<string, string | boolean>;
  environment: Record<string, string | undefined>;
  /** The folder in which `pqrs.toml` is looked for. */
  folder: string;
}

/**
 * Reads the settings.
 *
 * @throws ConfigError for the first one that is unknown or bad
 */
export function readConfig({ flags, environment, folder }: ConfigInput): Config {
  const values: Record<string, unknown> = {};
  const sources = [fromFlags(flags), fromEnvironment(environment), fromFile(`${folder}/pqrs.toml`)];
  for (const setting of SETTINGS) {
    const source = sources.find((one) => one.has(setting.key))?.get(setting.key);
    const given = source ?? { name: setting.key, value: setting.fallback };
    values[setting.key] = given.value === undefined ? undefined : settingValue(setting, given);
  }
  const limits = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((key) => [key, values[key]]));
  const config = { ...values, limits } as unknown as Config;
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    throw new ConfigError('PQRS_TLS_CERT and PQRS_TLS_KEY go together');
  }
  return config;
}

/** The settings in force, those that hold secrets left out. */
export function withoutSecrets(config: Config): object {
  const secrets = new Set(SETTINGS.filter(({ secret }) => secret).map(({ key }) => key));
  return Object.fromEntries(Object.entries(config).filter(([key]) => !secrets.has(key)));
}

export type SettingName = Exclude<keyof Config, 'limits'>;

/** A setting as the help and the flags of commands need it. */
export interface SettingInfo {
  key: string;
  /** Without its dashes; a secret has none. */
  flag: string | undefined;
  isSwitch: boolean;
  variable: string;
  fallback: unknown;
  help: string;
}

/** Every setting with its flag, variable, default and meaning. */
export function describeSettings(): SettingInfo[] {
  return SETTINGS.map(({ key, kind, secret, fallback, help }) => ({
    key,
    flag: secret ? undefined : flagOf(key),
    isSwitch: kind === 'switch',
    variable: variableOf(key),
    fallback,
    help,
  }));
}

function fromFlags(flags: Record<string, string | boolean>): Map<string, Source> {
  const found = new Map<string, Source>();
  for (const [name, value] of Object.entries(flags)) {
    const setting = SETTINGS.find((one) => flagOf(one.key) === name);
    if (!setting || setting.secret) throw new ConfigError(`--${name} is not a setting`);
    found.set(setting.key, { name: `--${name}`, value });
  }
  return found;
}

function fromEnvironment(environment: Record<string, string | undefined>): Map<string, Source> {
  const found = new Map<string, Source>();
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('PQRS_') || value === undefined || CLIENT_VARIABLES.test(name)) continue;
    const plain = SETTINGS.find((one) => variableOf(one.key) === name);
    const fromItsFile = SETTINGS.find(
      (one) => one.secret && `${variableOf(one.key)}_FILE` === name,
    );
    if (plain) found.set(plain.key, { name, value });
    else if (fromItsFile) found.set(fromItsFile.key, { name, value: readSecret(name, value) });
    else throw new ConfigError(`${name} is not a setting`);
  }
  return found;
}

function fromFile(path: string): Map<string, Source> {
  const found = new Map<string, Source>();
  if (!existsSync(path)) return found;
  let content: Record<string, unknown>;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(
      `pqrs.toml: ${error instanceof Error ? error.message.split('\n')[0] : 'cannot be read'}`,
    );
  }
  for (const [name, value] of Object.entries(content)) {
    const setting = SETTINGS.find((one) => snakeOf(one.key) === name);
    if (!setting) throw new ConfigError(`pqrs.toml: ${name} is not a setting`);
    found.set(setting.key, { name: `pqrs.toml: ${name}`, value });
  }
  return found;
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name} names a file that cannot be read`);
  }
}

function settingValue(setting: Setting, { name, value }: Source): unknown {
  switch (setting.kind) {
    case 'number': {
      const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
      const { least = 0, most = Number.MAX_SAFE_INTEGER } = setting;
      if (
        typeof number !== 'number' ||
        !Number.isInteger(number) ||
        number < least ||
        number > most
      ) {
        throw new ConfigError(`${name} must be a whole number from ${least} to ${most}`);
      }
      return number;
    }
    case 'switch':
      if (value === true || value === 'true' || value === '1') return true;
      if (value === false || value === 'false' || value === '0' || value === '') return false;
      throw new ConfigError(`${name} must be true or false`);
    case 'slug':
      if (typeof value !== 'string' || !isSlug(value))
        throw new ConfigError(`${name} ${SLUG.says}`);
      return value;
    case 'networks':
      return listOf(name, value).map((network) => checkedNetwork(name, network));
    case 'origins':
      return listOf(name, value).map((origin) => exactOrigin(name, origin));
    case 'choice': {
      const { choices = [] } = setting;
      if (!choices.includes(value as string))
        throw new ConfigError(`${name} must be one of ${choices.join(', ')}`);
      return value;
    }
    case 'duration': {
      const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(String(value)) ?? [];
      const unitMs = UNITS_MS[unit];
      if (unitMs === undefined)
        throw new ConfigError(`${name} must be a time such as 30m, 24h or 7d`);
      return Number(amount) * unitMs;
    }
    default:
      if (typeof value !== 'string' || value === '')
        throw new ConfigError(`${name} must be a text that is not empty`);
      return value;
  }
}

function listOf(name: string, value: unknown): string[] {
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  if (!Array.isArray(items) || items.some((item) => typeof item !== 'string')) {
    throw new ConfigError(`${name} must be a list of texts`);
  }
  return items.filter((item) => item !== '');
}

function exactOrigin(name: string, origin: string): string {
  // `null` is the origin of every page that has none of its own: sandboxed frames, local files.
  const exact = URL.canParse(origin) ? new URL(origin).origin : 'null';
  if (exact !== origin || exact === 'null')
    throw new ConfigError(`${name}: ${origin} is not an exact origin such as https://app.example`);
  return origin;
}

function checkedNetwork(name: string, network: string): string {
  const [address = '', bits, ...rest] = network.split('/');
  // Loaded where there are addresses to look at: no start is to wait for its sockets.
  const { isIP } = process.getBuiltinModule('node:net');
  const most = isIP(address) === 6 ? 128 : 32;
  const good = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (isIP(address) === 0 || !good || rest.length > 0) {
    throw new ConfigError(
      `${name}: ${network} is neither an address nor a range such as 10.0.0.0/8`,
    );
  }
  return network;
}

function snakeOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function flagOf(key: string): string {
  return snakeOf(key).replaceAll('_', '-');
}

function variableOf(key: string): string {
  return `PQRS_${snakeOf(key).toUpperCase()}`;
}
