// The API document: derived from the routes by @elysiajs/swagger, and finished.
import { Elysia } from 'elysia';
import { type ApiDocument, finishDocument } from './finish.ts';
import { DOCUMENT_FRAME } from './info.ts';
import { describedOperation } from './operation.ts';

export type { ApiDocument } from './finish.ts';

const PATH = '/openapi.json';
const PREFIX = '/api';

/**
 * Derives the document of some rooms, under one prefix.
 *
 * @param rooms - the plugins whose routes are described; their handlers are left aside
 */
export async function deriveDocument(rooms: readonly Elysia[]): Promise<ApiDocument> {
  // Loaded when first wanted: it is not small, and most starts never show the document.
  const { swagger } = await import('@elysiajs/swagger');
  // One request is all it gets: compiling its handlers would take longer than they run.
  const app = new Elysia({ aot: false });
  for (const { method, path, hooks } of rooms.flatMap((room) => room.routes)) {
    const detail = await describedOperation(hooks.detail);
    app.route(method, `${PREFIX}${path}`, () => undefined, { detail });
  }
  app.use(swagger({ specPath: PATH, documentation: DOCUMENT_FRAME as never }));
  const response = await app.handle(new Request(`http://localhost${PATH}`));
  return finishDocument((await response.json()) as ApiDocument);
}

/** A document as text. */
export function documentText(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
