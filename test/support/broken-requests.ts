// Requests to any operation that are wrong in what is looked at after the caller.
import type { AccessRow } from '../../src/access/access.ts';

/** What of a request is wrong. */
export interface Broken {
  headers?: Record<string, string>;
  body?: string;
  search?: string;
}

/** Requests that are wrong in each way that is looked at after the caller. */
export function brokenBodies({ method }: AccessRow): Broken[] {
  const unknownParameter = { search: '?nonsense=1' };
  if (method === 'GET') return [unknownParameter];
  const json = { 'content-type': 'application/json' };
  return [
    unknownParameter,
    { headers: json, body: '{"title": ' },
    { headers: json, body: '{"nonsense": 1}' },
    { headers: json, body: '' },
    { headers: { 'content-type': 'text/csv' }, body: 'a,b' },
    { headers: { ...json, 'content-encoding': 'gzip' }, body: '{}' },
    { headers: { ...json, 'idempotency-key': '\t' }, body: '{}' },
    { headers: json, body: ' '.repeat(1024 * 1024 + 1) },
  ];
}
