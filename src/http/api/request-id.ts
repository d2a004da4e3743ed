// The id of a request: the client's own where it is safe to repeat, else one of ours.
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
