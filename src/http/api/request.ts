// What a request says of itself: its id, its path and its query string. Its address need not be one
// that `URL` takes: its host is what the client says.
import { randomBytes } from 'node:crypto';

const SAFE = /^[A-Za-z0-9._~:@+/=-]{1,128}$/;
const boot = randomBytes(6).toString('hex');
let counter = 0;

/** The request id of a request: its `X-Request-Id` if that is 1 to 128 safe characters. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  if (given !== null && SAFE.test(given)) return given;
  counter += 1;
  return `${boot}-${counter}`;
}

/** The path of a request, still encoded, without query and fragment. */
export function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

/** The query string of a request, without its question mark. */
export function searchOf(request: Request): string {
  const at = request.url.indexOf('?');
  if (at < 0) return '';
  const end = request.url.indexOf('#', at);
  return end < 0 ? request.url.slice(at + 1) : request.url.slice(at + 1, end);
}
