// Asks an instance of the tests, and checks what holds for every answer.
import { type Answer, readAnswer } from './answer.ts';
import type { Instance } from './instance.ts';
import { checkInvariants } from './invariants.ts';

export interface Asking extends Omit<RequestInit, 'headers'> {
  /** The one that it is asked with unless told; null for nobody. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON, by POST unless told. */
  json?: unknown;
}

export type Ask = (path: string, asking?: Asking) => Promise<Answer>;

/** What asks an instance as the bearer of a token. */
export function askerOf(instance: Instance, owner: string | null = null): Ask {
  return async (path, { token = owner, json, headers, ...init } = {}) => {
    const said = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const type: Record<string, string> =
      json === undefined ? {} : { 'content-type': 'application/json' };
    const response = await instance.fetch(path, {
      ...{ ...said, ...init, headers: { ...type, ...headers } },
      ...(token === null ? {} : { token }),
    });
    const answer = await readAnswer(path, response);
    checkInvariants(answer);
    return answer;
  };
}
