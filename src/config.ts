// The settings: one table for flags, environment, the file `pqrs.toml` and defaults, in this
// order. A bad or unknown setting stops the start with a line that names it.
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { DEFAULT_LIMITS, isSlug, LIMIT_ENTRIES, type Limits, SLUG } from './limits.ts';
import { ACCESS_LOGS, LOG_LEVELS } from './log.ts';

/** A setting that cannot be used; the text names it and says what is wrong. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads a value that was given. @throws ConfigError that says what it must be */
type Read<T> = (value: unknown) => T;

interface Setting<T> {
  read: Read<T>;
  fallback: T;
  help: string;
  /** Holds a secret: no flag; `_FILE` behind the variable reads it from a file. */
  isSecret?: boolean;
}

const OWN = {
  host: setting(text, '127.0.0.1', 'address to listen on'),
  port: setting(whole(0, 65_535), 4870, 'port to listen on; 0 takes a free one'),
  dataDir: setting(text, './pqrs-data', 'the data folder'),
  databaseUrl: optional('a libSQL server instead of the file in the data folder'),
  databaseToken: { ...optional('its authentication token'), isSecret: true },
  project: setting(slug, 'default', 'slug of the project that the first start makes'),
  demo: setting(toggle, false, 'let read:demo tokens read projects that allow it'),
  openProbes: setting(toggle, false, 'health and readiness without a token'),
  corsOrigins: setting(
    listOf(exactOrigin),
    [],
    'origins whose pages may call the API, comma separated',
  ),
  trustedProxies: setting(
    listOf(network),
    [],
    'addresses or ranges whose X-Forwarded-For is believed',
  ),
  logLevel: setting(oneOf(LOG_LEVELS), 'info', `one of ${LOG_LEVELS.join(', ')}`),
  accessLog: setting(
    oneOf(ACCESS_LOGS),
    'errors',
    `requests that are logged: ${ACCESS_LOGS.join(', ')}`,
  ),
  tlsCert: optional('file of the TLS certificate'),
  tlsKey: optional('file of the TLS key'),
  backupDir: optional('folder of scheduled backups; without it none are made'),
  backupEvery: setting(
    duration,
    24 * 3_600_000,
    'time from one scheduled backup to the next, such as 30m, 24h or 7d',
  ),
  backupKeep: setting(whole(1), 7, 'how many scheduled backups are kept'),
};

export type SettingName = keyof typeof OWN;
export type Config = { [K in SettingName]: (typeof OWN)[K]['fallback'] } & { limits: Limits };

const NEVER_ZERO =
  /InFlight$|Percent$|Seconds$|^(?:logBatchEntries|bodyBytesPerSecond|writesPerCommit)$/;

const SETTINGS: ReadonlyMap<string, Setting<unknown>> = new Map([
  ...Object.entries<Setting<unknown>>(OWN),
  ...LIMIT_ENTRIES.map(([key, { fallback, help }]): [string, Setting<unknown>] => {
    const least = NEVER_ZERO.test(key) ? 1 : 0;
    const most = key.endsWith('Percent') ? 100 : key === 'idleSeconds' ? 255 : undefined;
    return [key, setting(whole(least, most), fallback, help)];
  }),
]);

function setting<T>(read: Read<T>, fallback: T, help: string): Setting<T> {
  return { read, fallback, help };
}

function optional(help: string): Setting<string | undefined> {
  return { read: text, fallback: undefined, help };
}

/** Variables of clients and tests, which the server does not read but does not refuse either. */
const CLIENT_VARIABLES = /^PQRS_((URL|TOKEN(_[A-Z]+)?)(_FILE)?|RUN_ID|JOB_ID)$/;

export interface ConfigInput {
  flags: Record<string, string | boolean>;
  environment: Record<string, string | undefined>;
  /** The folder in which `pqrs.toml` is looked for. */
  folder: string;
}

/** @throws ConfigError for the first setting that is bad, or unknown */
export function readConfig({ flags, environment, folder }: ConfigInput): Config {
  const given = new Map<string, unknown>([
    ...Object.entries(flags).map(([name, value]) => [`--${name}`, value] as const),
    ...Object.entries(environment).filter(
      ([name, value]) =>
        name.startsWith('PQRS_') && value !== undefined && !CLIENT_VARIABLES.test(name),
    ),
    ...Object.entries(readToml(`${folder}/pqrs.toml`)).map(
      ([name, value]) => [`pqrs.toml: ${name}`, value] as const,
    ),
  ]);
  const values: Record<string, unknown> = {};
  for (const [key, { read, fallback, isSecret }] of SETTINGS) {
    const variable = variableOf(key);
    const inFile = `${variable}_FILE`;
    const names = [isSecret ? inFile : `--${flagOf(key)}`, variable, `pqrs.toml: ${snakeOf(key)}`];
    const name = names.find((one) => given.has(one));
    try {
      if (name === undefined) values[key] = fallback;
      else values[key] = read(name === inFile ? readSecret(given.get(name)) : given.get(name));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${name} ${error.message}`);
    }
    for (const one of names) given.delete(one);
  }
  const [unknown] = given.keys();
  if (unknown !== undefined) throw new ConfigError(`${unknown} is not a setting`);
  const limits = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((key) => [key, values[key]]));
  const config = { ...values, limits } as unknown as Config;
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined))
    throw new ConfigError('PQRS_TLS_CERT and PQRS_TLS_KEY go together');
  return config;
}

/** The settings in force, those that hold secrets left out. */
export function withoutSecrets(config: Config): object {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !SETTINGS.get(key)?.isSecret));
}

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

export function describeSettings(): SettingInfo[] {
  return [...SETTINGS].map(([key, { read, isSecret, fallback, help }]) => ({
    key,
    flag: isSecret ? undefined : flagOf(key),
    isSwitch: read === toggle,
    variable: variableOf(key),
    fallback: read === duration ? '24h' : fallback,
    help,
  }));
}

function readSecret(path: unknown): string {
  try {
    return readFileSync(String(path), 'utf8').trim();
  } catch {
    throw new ConfigError('names a file that cannot be read');
  }
}

function readToml(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : 'cannot be read';
    throw new ConfigError(`pqrs.toml: ${why}`);
  }
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ConfigError('must be a text that is not empty');
}

function slug(value: unknown): string {
  if (typeof value === 'string' && isSlug(value)) return value;
  throw new ConfigError(SLUG.says);
}

function whole(least: number, most = Number.MAX_SAFE_INTEGER): Read<number> {
  return (value) => {
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    if (Number.isInteger(number) && (number as number) >= least && (number as number) <= most)
      return number as number;
    throw new ConfigError(`must be a whole number from ${least} to ${most}`);
  };
}

function toggle(value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0' || value === '') return false;
  throw new ConfigError('must be true or false');
}

function oneOf<const T extends string>(choices: readonly T[]): Read<T> {
  return (value) => {
    if (choices.includes(value as T)) return value as T;
    throw new ConfigError(`must be one of ${choices.join(', ')}`);
  };
}

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds. */
function duration(value: unknown): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(String(value)) ?? [];
  const unitMs = UNITS_MS[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  throw new ConfigError('must be a time such as 30m, 24h or 7d');
}

function listOf(read: (item: string) => string): Read<string[]> {
  return (value) => {
    const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
    if (!Array.isArray(items) || items.some((item) => typeof item !== 'string'))
      throw new ConfigError('must be a list of texts');
    return items.filter((item) => item !== '').map(read);
  };
}

function exactOrigin(origin: string): string {
  // `null` is the origin of every page that has none of its own: sandboxed frames, local files.
  const exact = URL.canParse(origin) ? new URL(origin).origin : 'null';
  if (exact === origin && exact !== 'null') return origin;
  throw new ConfigError(`${origin} is not an exact origin such as https://app.example`);
}

function network(range: string): string {
  const [address = '', bits, ...rest] = range.split('/');
  // Loaded where there are addresses to look at: no start is to wait for its sockets.
  const { isIP } = process.getBuiltinModule('node:net');
  const most = isIP(address) === 6 ? 128 : 32;
  const isGood = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (isIP(address) !== 0 && isGood && rest.length === 0) return range;
  throw new ConfigError(`${range} is neither an address nor a range such as 10.0.0.0/8`);
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
