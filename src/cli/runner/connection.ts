// Where the server of a client is, and the token for it: from flags, else from the environment. The
// token itself never stands in an argument.
import { readFile } from 'node:fs/promises';
import { type CommandCall, UsageError } from '../command.ts';
import type { Connection } from './api-client.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `--url` or PQRS_URL, and `--token-file`, PQRS_TOKEN_FILE or PQRS_TOKEN.
 *
 * @throws UsageError where one is missing, no address, or a file that cannot be read
 */
export async function readConnection(
  call: Pick<CommandCall, 'text'>,
  environment: Environment,
): Promise<Connection> {
  const url = call.text('url') ?? environment.PQRS_URL;
  if (url === undefined || url === '') throw new UsageError('--url or PQRS_URL is required');
  return { url: baseUrl(url), token: await readToken(call.text('token-file'), environment) };
}

/** An address without what follows from it: the slash at the end, the prefix of the API. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is not the address of a server, such as http://127.0.0.1:4870`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('the address of a server has no user, query or fragment');
  return url.href.replace(/\/+$/, '').replace(/\/api(?:\/v1)?$/, '');
}

async function readToken(file: string | undefined, environment: Environment): Promise<string> {
  const path = file ?? (environment.PQRS_TOKEN_FILE || undefined);
  const text = path === undefined ? environment.PQRS_TOKEN : await textOf(path);
  const token = text?.trim() ?? '';
  if (token === '')
    throw new UsageError(
      path === undefined
        ? '--token-file, PQRS_TOKEN_FILE or PQRS_TOKEN is required'
        : `there is no token in ${path}`,
    );
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError('what is to be the token is none');
  return token;
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new UsageError(`the token file ${path} cannot be read`);
  });
}

/**
 * A whole number that is given as an option.
 *
 * @throws UsageError where it is none, or out of range
 */
export function wholeNumber<F extends number | undefined>(
  call: Pick<CommandCall, 'text'>,
  name: string,
  {
    least = 0,
    most = Number.MAX_SAFE_INTEGER,
    fallback,
  }: { least?: number; most?: number; fallback: F },
): number | F {
  const text = call.text(name);
  if (text === undefined) return fallback;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most))
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
  return number;
}
