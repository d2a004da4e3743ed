// How one operation is written into the API document: everything that follows from its row in the
// access table and its schemas, so that a room says only what is its own.
import type { TSchema } from '@sinclair/typebox';
import { type AccessRow, capabilitiesFor } from './access.ts';
import type { BodyReader } from './body.ts';
import { PROBLEMS, type ProblemCode } from './problem.ts';

/** What a room says of an operation. */
export interface OperationDocs {
  description: string;
  /** The body that the example request sends. */
  bodyExample?: unknown;
  /** Answers of success. */
  replies: Record<
    number,
    { description: string; schema?: TSchema; example?: unknown; mediaType?: string }
  >;
  /** Problems beside those that every operation may answer. */
  problems?: ProblemCode[];
}

interface Described {
  docs: OperationDocs;
  query: TSchema | undefined;
  body: BodyReader<unknown> | undefined;
}

const EVERYWHERE: ProblemCode[] = ['rate_limited', 'internal', 'unavailable'];
const GUARDED: ProblemCode[] = ['unauthorized', 'forbidden'];
const WITH_BODY: ProblemCode[] = [
  'malformed_body',
  'too_large',
  'unsupported_media_type',
  'invalid',
];

/** The OpenAPI operation object, as far as it is known before post-processing. */
export function describeOperation(
  access: AccessRow,
  { docs, query, body }: Described,
): Record<string, unknown> {
  const scopes = capabilitiesFor(access);
  const codes = new Set<ProblemCode>([
    ...(access.allow === 'signature' ? [] : GUARDED),
    ...(body ? WITH_BODY : []),
    ...(query ? (['invalid'] as const) : []),
    ...(access.method === 'POST' ? (['conflict', 'idempotency_mismatch'] as const) : []),
    ...(access.method === 'PATCH' ? (['precondition_failed'] as const) : []),
    ...(access.path.includes(':') ? (['not_found'] as const) : []),
    ...(docs.problems ?? []),
    ...EVERYWHERE,
  ]);
  return {
    operationId: access.operationId,
    tags: [access.area],
    summary: access.purpose,
    description: `${docs.description}\n\n${whoMayCall(access)}`,
    ...(access.allow === 'signature'
      ? { security: [{ signature: [] }] }
      : { security: [{ bearer: [] }] }),
    'x-capabilities': scopes,
    parameters: parametersOf(access, query),
    ...(body ? { requestBody: requestBodyOf(body, docs.bodyExample) } : {}),
    responses: { ...repliesOf(docs), ...problemsOf(codes) },
  };
}

function whoMayCall(access: AccessRow): string {
  if (access.allow === 'signature')
    return 'Opened by the signature of its link, not by a bearer token.';
  return `Capabilities: ${capabilitiesFor(access)
    .map((one) => `\`${one}\``)
    .join(', ')}.`;
}

function parametersOf(access: AccessRow, query: TSchema | undefined): unknown[] {
  const inPath = [...access.path.matchAll(/:([a-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const required = new Set<string>(query?.required ?? []);
  const inQuery = Object.entries<TSchema>(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    ...(schema.description ? { description: schema.description } : {}),
    schema,
  }));
  const inHeader =
    access.method === 'POST'
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ]
      : access.method === 'PATCH' || access.method === 'DELETE'
        ? [{ name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } }]
        : [];
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBodyOf(body: BodyReader<unknown>, example: unknown): unknown {
  const content = Object.fromEntries(
    Object.entries(body.schemas).map(([mediaType, schema]) => [
      mediaType,
      {
        schema,
        ...(example !== undefined &&
        mediaType.endsWith('json') &&
        mediaType !== 'application/x-ndjson'
          ? { example }
          : {}),
      },
    ]),
  );
  return { required: true, content };
}

function repliesOf(docs: OperationDocs): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(docs.replies).map(([status, { description, schema, example, mediaType }]) => [
      status,
      {
        description,
        ...(schema
          ? {
              content: {
                [mediaType ?? 'application/json']: {
                  schema,
                  ...(example === undefined ? {} : { example }),
                },
              },
            }
          : {}),
      },
    ]),
  );
}

function problemsOf(codes: ReadonlySet<ProblemCode>): Record<string, unknown> {
  const byStatus = new Map<number, string[]>();
  for (const { code, status, title } of PROBLEMS) {
    if (codes.has(code))
      byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${title}.`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, texts]) => [
      status,
      {
        description: texts.join(' '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}
