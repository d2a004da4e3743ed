// The API document: derived from the routes by @elysiajs/swagger, and made valid OpenAPI 3.1: what
// the routes' own validators hide from it is written in, and schemas with a title become components.
import { type AnyElysia, Elysia } from 'elysia';
import type { Area } from '../../access/access.ts';
import { PROBLEMS } from '../../errors.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import { VERSION } from '../../version.ts';
import conventions from './conventions.md' with { type: 'text' };
import { GUIDE_PAGES } from './guide.ts';
import { describeOperation, type RouteHooks } from './operation.ts';

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
    .use(swagger({ specPath: PATH, documentation: frame() as never }));
  const response = await app.handle(new Request(`http://localhost${PATH}`));
  const { components, ...derived } = (await response.json()) as ApiDocument;
  const { securitySchemes = {} } = components;
  const schemas: Record<string, Json> = {};
  for (const { method, path, hooks } of routes.routes) {
    const operations = derived.paths[PREFIX + path.replace(/:(\w+)/g, '{$1}')];
    // Without the symbols of TypeBox.
    const operation = JSON.stringify(describeOperation(method, path, hooks as RouteHooks));
    if (operations)
      operations[method.toLowerCase()] = finishOperation(JSON.parse(operation), schemas);
  }
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...derived,
    openapi: '3.1.0',
    components: { schemas: Object.fromEntries(sorted), securitySchemes },
  };
}

/**
 * Publishes the schemas of an operation; those with a title become components.
 * @throws Error when two different schemas have one title
 */
export function finishOperation(operation: Json, schemas: Record<string, Json>): Json {
  const keep = (name: string, component: Json): Json => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`Two different schemas have the title ${name}.`);
    schemas[name] = component;
    return { $ref: `#/components/schemas/${name}` };
  };
  const finished = (value: unknown, name?: string): unknown => {
    if (name === 'example' || name === 'examples') return value;
    if (Array.isArray(value)) return value.map((one) => finished(one));
    if (!isObject(value)) return value;
    return name === 'schema' ? publicSchema(value, keep) : mapValues(value, finished);
  };
  return mapValues(operation, finished);
}

export function documentText(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

const AREAS: Record<Area, string> = {
  'Project and SRS':
    'The project and its requirements: sources, the canonical graph, edits and additions laid over it, traceability ' +
    'and the transfer of validation results.',
  'Quality and execution':
    'Test commands, runs and their state, plans and suites for agents, scenarios, and the catalog of routes.',
  'Issues, evidence, and health':
    'Issues with attached evidence, signed access to files, system logs, the probes, and the handoff.',
};

/** The parts of the document that do not come from routes. */
const frame = () => ({
  info: {
    title: 'pqrs: Project Quality and Requirements Service',
    version: VERSION,
    description: conventionsText(),
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    contact: { name: 'pqrs' },
  },
  servers: [{ url: '/', description: 'The server that this document comes from' }],
  tags: Object.entries(AREAS).map(([name, description]) => ({ name, description })),
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        bearerFormat: 'pqrs_<id>_<secret>',
        description: 'The token of a project. It decides the project and what the caller may do.',
      },
      signature: {
        type: 'apiKey' as const,
        in: 'query' as const,
        name: 'signature',
        description:
          'The signature of a file link, together with the other parameters of the link. Links come ready in answers.',
      },
    },
  },
});

const MiB = 1024 * 1024;

/** What holds for every operation, with the limits (in MiB where they are sizes) and all problems. */
function conventionsText(): string {
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, value]) => [
    name,
    name.endsWith('Bytes') ? value / MiB : value,
  ]);
  const values: Record<string, string | number> = {
    ...Object.fromEntries(limits),
    pages: GUIDE_PAGES.map((name) => `[${name}](/docs/${name})`).join(', '),
    problems: PROBLEMS.map(
      ({ status, code, title }) => `| ${status} | \`${code}\` | ${title} |`,
    ).join('\n'),
  };
  return conventions.trim().replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

type Keep = (name: string, component: Json) => Json;

const LISTS = ['anyOf', 'allOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties'];
const ANY_NAME = '^(.*)$';

/**
 * Makes a schema of OpenAPI 3.1 (JSON Schema 2020-12) of one of TypeBox: the keywords that only the
 * checks know go, and what they stand for comes in their place.
 * @param schema - plain JSON; it stays as it is
 * @param keep - is called with every schema with a `title`, which becomes a component of that name
 */
export function publicSchema(schema: Json, keep: Keep): Json {
  const { says: _, documentedFormat, title, ...rest } = schema;
  const inside = (one: unknown) => (isObject(one) ? publicSchema(one, keep) : one);
  for (const name of MAPS) if (isObject(rest[name])) rest[name] = mapValues(rest[name], inside);
  for (const name of LISTS) if (Array.isArray(rest[name])) rest[name] = rest[name].map(inside);
  for (const name of ['items', 'additionalProperties', 'not'])
    if (name in rest) rest[name] = inside(rest[name]);
  if (documentedFormat !== undefined) rest.format = documentedFormat;
  // A pattern that only says again what an enumeration or a format says.
  if (rest.enum !== undefined || documentedFormat !== undefined) delete rest.pattern;
  const plain = withNull(withOpenNames(rest));
  return typeof title === 'string' ? keep(title, plain) : plain;
}

function withOpenNames(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (isObject(rest.properties) && Object.keys(rest.properties).length === 0)
    delete rest.properties;
  if (!isObject(patternProperties)) return rest;
  const { [ANY_NAME]: any, ...others } = patternProperties;
  if (!isObject(any) || Object.keys(others).length > 0) return { ...rest, patternProperties };
  return { ...rest, additionalProperties: Object.keys(any).length === 0 ? true : any };
}

function withNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none] = anyOf as [Json, Json];
  if (none.type !== 'null' || typeof value.type !== 'string' || 'const' in value) return schema;
  return {
    ...value,
    ...rest,
    type: [value.type, 'null'],
    ...(Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {}),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(object: Json, change: (value: unknown, name: string) => unknown): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)]),
  );
}
