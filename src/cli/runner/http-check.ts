// An item that is a request. Its `argv` is METHOD, URL, and where given statuses (`200`, `2xx,404`; any 2xx by
// default) and headers. `${NAME}` is a variable or credential.
import type { ResultStatus } from '../../quality/reports/model.ts';
import { ItemRefused, MAX_TIMER_MS } from './child.ts';

const METHOD = /^[A-Za-z]{1,20}$/;
const STATUS = /^[1-5](?:\d\d|xx)$/i;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/;
const SHOWN_BYTES = 16 * 1024;

/** Reads the request out of an `argv`. @throws ItemRefused where it is none */
export function readHttpCheck(
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
) {
  const [method = '', url = '', ...rest] = argv.map((text) => filledIn(text, variables));
  if (!METHOD.test(method)) throw new ItemRefused(`"${method}" is not the method of a request`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ItemRefused(`"${url}" is not the address of a request`);
  const [first] = rest;
  const hasStatus = first !== undefined && !HEADER.test(first);
  const expected = hasStatus ? first.split(',').map((one) => one.trim()) : ['2xx'];
  const wrong = expected.find((one) => !STATUS.test(one));
  if (wrong !== undefined) throw new ItemRefused(`"${wrong}" is not the status of an answer`);
  const headers = rest.slice(hasStatus ? 1 : 0).map((text): [string, string] => {
    const [, name, value] = HEADER.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new ItemRefused(`"${text}" is not a header of a request`);
    return [name, value];
  });
  return { method: method.toUpperCase(), url, expected, headers };
}

function filledIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new ItemRefused(`there is no variable ${name}`);
    return value;
  });
}

interface HttpEnd {
  status: ResultStatus;
  message: string | null;
  console: string;
}

/** Redirects are answers like others. Undefined where the signal ended it. */
export async function runHttpCheck(
  check: ReturnType<typeof readHttpCheck>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HttpEnd | undefined> {
  const asked = `${check.method} ${check.url}`;
  const timeUp = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    const response = await fetch(check.url, {
      method: check.method,
      headers: check.headers,
      redirect: 'manual',
      signal: AbortSignal.any([timeUp, signal]),
    });
    const body = await firstBytes(response);
    const console = `${asked}\n${response.status} ${response.statusText}\n\n${body}\n`;
    const status = String(response.status);
    if (check.expected.some((one) => status.startsWith(one.replace(/xx$/i, ''))))
      return { status: 'passed', message: null, console };
    const message = `${response.status}, expected ${check.expected.join(' or ')}`;
    return { status: 'failed', message, console };
  } catch (error) {
    if (signal.aborted) return undefined;
    const message = timeUp.aborted ? `no answer in ${timeoutMs} ms` : (error as Error).message;
    return { status: 'broken', message, console: `${asked}\n${message}\n` };
  }
}

async function firstBytes(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest: a body that never ends is of no more interest.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= SHOWN_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString('utf8');
}
