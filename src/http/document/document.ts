// The API document: derived from the routes by @elysiajs/swagger, and finished.
import { type AnyElysia, Elysia } from 'elysia';
import { type ApiDocument, finishDocument } from './finish.ts';
import { DOCUMENT_FRAME } from './info.ts';
import { describeOperation, type RouteHooks } from './operation.ts';

export type { ApiDocument } from './finish.ts';

const PATH = '/openapi.json';
const PREFIX = '/api';

export async function deriveDocument(routes: AnyElysia): Promise<ApiDocument> {
  // Loaded when first wanted: it is not small, and most starts never show the document.
  const { swagger } = await import('@elysiajs/swagger');
  // One request is all it gets: compiling its handlers would take longer than they run.
  const app = new Elysia({ aot: false })
    .group(PREFIX, (group) => group.use(routes))
    .use(swagger({ specPath: PATH, documentation: DOCUMENT_FRAME as never }));
  const response = await app.handle(new Request(`http://localhost${PATH}`));
  const document = (await response.json()) as ApiDocument;
  for (const { method, path, hooks } of routes.routes) {
    const operations = document.paths[PREFIX + path.replace(/:(\w+)/g, '{$1}')];
    const operation = describeOperation(method, path, hooks as RouteHooks);
    if (operations) operations[method.toLowerCase()] = operation;
  }
  // Without the symbols of TypeBox.
  return JSON.parse(JSON.stringify(finishDocument(document)));
}

export function documentText(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
