// The typed client of the API, for the agent, the tests and whoever has this repository.
import { treaty } from '@elysiajs/eden';
import type { Api } from './areas.ts';

/**
 * A client of an instance.
 *
 * @param url - of the instance, such as `http://127.0.0.1:4870`
 * @param fetcher - takes the place of `fetch`
 */
export function client(url: string, token: string, fetcher: typeof fetch = fetch) {
  const headers = { authorization: `Bearer ${token}` };
  return treaty<Api>(url, { headers, fetcher, parseDate: false }).api;
}
