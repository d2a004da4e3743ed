// The API document: derived from the routes by @elysiajs/swagger, and made valid OpenAPI 3.1: what
// the routes' own validators hide from it is written in, and schemas with a title become components.
import { type AnyElysia, Elysia } from 'elysia';
import { DOCUMENT_FRAME } from './info.ts';
import { describeOperation, type RouteHooks } from './operation.ts';
import { isObject, mapValues, publicSchema } from './schemas.ts';

type Json = Record<string, unknown>;

export interface ApiDocument {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
}

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
  const derived = (await response.json()) as ApiDocument;
  for (const { method, path, hooks } of routes.routes) {
    const operations = derived.paths[PREFIX + path.replace(/:(\w+)/g, '{$1}')];
    // Without the symbols of TypeBox.
    const operation = JSON.stringify(describeOperation(method, path, hooks as RouteHooks));
    if (operations) operations[method.toLowerCase()] = JSON.parse(operation);
  }
  return finishDocument(derived);
}

/** @throws Error when two different schemas have one title */
export function finishDocument({
  info,
  servers,
  tags,
  paths,
  components,
}: ApiDocument): ApiDocument {
  const schemas: Record<string, Json> = {};
  const keep = (name: string, component: Json): Json => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`Two different schemas have the title ${name}.`);
    schemas[name] = component;
    return { $ref: `#/components/schemas/${name}` };
  };
  const finished = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(finished);
    if (!isObject(value)) return value;
    const { schema, example, examples, ...rest } = value;
    return {
      ...mapValues(rest, finished),
      ...(isObject(schema) ? { schema: publicSchema(schema, keep) } : {}),
      ...(example === undefined ? {} : { example }),
      ...(examples === undefined ? {} : { examples }),
    };
  };
  const made = mapValues(paths, finished) as ApiDocument['paths'];
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const { securitySchemes = {} } = components;
  return {
    openapi: '3.1.0',
    info,
    servers,
    tags,
    paths: made,
    components: { schemas: Object.fromEntries(sorted), securitySchemes },
  };
}

export function documentText(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
