// Issues filed with a body as it is written, byte by byte.
import type { Scenario } from './flow.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };

/** A body that files an issue. */
export const TITLE = '{"title": "Sent as bytes"}';

/** A filing of an issue, and how it is answered. */
export const post = (
  name: string,
  body: string | Uint8Array,
  status: number,
  code?: string,
  headers: Record<string, string> = JSON_TYPE,
): Scenario => ({
  name,
  method: 'POST',
  path: '/issues',
  headers,
  body,
  status,
  ...(code ? { code } : {}),
});

/** Texts and bytes one after the other. */
export const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );
