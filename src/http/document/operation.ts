// How one operation is written into the API document: everything that follows from its row in the
// access table and its schemas, so that a noun says only what is its own.
import { type TSchema, Type } from '@sinclair/typebox';
import { type AccessRow, accessRow, capabilitiesFor, type Operation } from '../../access/access.ts';
import { PROBLEMS, type ProblemCode } from '../../errors.ts';
import { HEADERS, type HeaderName, type OperationDocs, type ReplyDocs } from '../../model/docs.ts';
import { PAGE_DEFAULT } from '../../model/pages.ts';
import { oneOf } from '../../model/schemas.ts';
import type { BodyReader } from '../api/body.ts';

export interface RouteHooks {
  detail?: { 'x-docs'?: OperationDocs };
  query?: { schema: TSchema };
  body?: BodyReader<unknown>;
  response?: Record<number, { schema: TSchema }>;
}

/** A problem document (RFC 9457). */
const ProblemDocument = Type.Object(
  {
    type: Type.String({
      documentedFormat: 'uri-reference',
      description: '`/problems/` and the code',
    }),
    title: Type.String({ description: 'What the code means' }),
    status: Type.Integer({ description: 'The status of the answer' }),
    detail: Type.String({ description: 'What is wrong with this request' }),
    code: oneOf(PROBLEMS.map(({ code }) => code)),
    requestId: Type.String({ description: 'By which the log of the service knows the request' }),
    errors: Type.Array(
      Type.Object({
        pointer: Type.String({
          description: 'JSON pointer (RFC 6901) into the body; `/<name>` for a query parameter',
        }),
        detail: Type.String({ description: 'What is wrong there' }),
      }),
      { description: 'The fields that are wrong; empty where it is not about fields' },
    ),
  },
  { title: 'Problem' },
);

const EVERYWHERE: ProblemCode[] = [
  'unauthorized',
  'not_found',
  'gone',
  'method_not_allowed',
  'rate_limited',
  'internal',
  'unavailable',
  'damaged',
];
const WITH_BODY: ProblemCode[] = [
  'malformed_body',
  'timeout',
  'too_large',
  'unsupported_media_type',
  'invalid',
];

const UNCHANGED: ReplyDocs = {
  description: 'Nothing has changed since the entity tag that `If-None-Match` names',
  headers: ['ETag'],
};

/**
 * The OpenAPI operation object of a route; what is undefined in it is not written. Schemas in it that
 * carry a title become components.
 */
export function describeOperation(method: string, path: string, hooks: RouteHooks): object {
  const access = accessRow(`${method} ${path}` as Operation);
  const docs = hooks.detail?.['x-docs'] as OperationDocs;
  const tagged = access.method === 'GET' && (docs.replies[200]?.headers?.includes('ETag') ?? false);
  const replies = Object.entries(docs.replies).map(([status, reply]) => [
    status,
    replyObject(access, Number(status), {
      schema: hooks.response?.[Number(status)]?.schema,
      ...reply,
    }),
  ]);
  const taken = hooks.body ?? docs.optionalBody;
  return {
    operationId: access.operationId,
    tags: [access.area],
    summary: access.purpose,
    description: `${docs.description}\n\n${whoMayCall(access)}`,
    security: [access.allow === 'signature' ? { signature: [] } : { bearer: [] }],
    'x-capabilities': capabilitiesFor(access),
    parameters: parameterObjects(access, hooks.query?.schema, docs, tagged),
    requestBody: taken && { required: taken === hooks.body, content: bodyContent(taken, docs) },
    responses: {
      ...(tagged ? { 304: replyObject(access, 304, UNCHANGED) } : {}),
      ...Object.fromEntries(replies),
      default: problemObject(problemsOf(access, docs, taken !== undefined)),
    },
  };
}

function whoMayCall(access: AccessRow): string {
  if (access.allow === 'signature')
    return 'Opened by the signature of its link, not by the capabilities of a token.';
  const names = capabilitiesFor(access).map((one) => `\`${one}\``);
  const needs =
    names.length === 1
      ? `Needs the capability ${names[0]}.`
      : `Needs one of the capabilities ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`;
  const bounds = Object.entries(access.fields).map(
    ([capability, fields]) =>
      ` \`${capability}\` may set ${fields.map((field) => `\`${field}\``).join(', ')} alone.`,
  );
  return needs + bounds.join('');
}

function problemsOf({ allow, method }: AccessRow, docs: OperationDocs, hasBody: boolean) {
  return new Set<ProblemCode>([
    ...EVERYWHERE,
    ...(allow === 'signature' ? [] : (['forbidden', 'invalid'] as const)),
    ...(hasBody ? WITH_BODY : []),
    ...(method === 'GET' ? (['too_costly'] as const) : []),
    ...(method === 'POST' ? (['conflict', 'idempotency_mismatch'] as const) : []),
    ...(method === 'PATCH' || method === 'DELETE' ? (['precondition_failed'] as const) : []),
    ...(docs.problems ?? []),
  ]);
}

function problemObject(codes: ReadonlySet<ProblemCode>): object {
  const named = PROBLEMS.filter(({ code }) => codes.has(code)).map(
    ({ code, status, title }) => `${status} \`${code}\`: ${title}`,
  );
  return {
    description: `A problem document:\n\n- ${named.join('\n- ')}`,
    content: { 'application/problem+json': { schema: ProblemDocument } },
  };
}

function replyObject({ method, allow }: AccessRow, status: number, docs: ReplyDocs): object {
  const headers: HeaderName[] = ['X-Request-Id'];
  if (allow !== 'signature' && status < 300) headers.push('RateLimit-Policy', 'RateLimit');
  if (status === 201) headers.push('Location');
  if (method === 'POST' && status < 300) headers.push('Idempotency-Replayed');
  const { description, schema, example, mediaType = 'application/json', alsoAs } = docs;
  const others = Object.entries(alsoAs ?? {}).map(([name, one]) => [
    name,
    typeof one === 'string' ? { schema: Type.String(), example: one } : one,
  ]);
  return {
    description,
    headers: headerObjects([...headers, ...(docs.headers ?? [])]),
    content: schema && { [mediaType]: { schema, example }, ...Object.fromEntries(others) },
  };
}

function headerObjects(names: readonly HeaderName[]): object {
  const schema = { type: 'string' };
  return Object.fromEntries(
    names.map((name) => {
      const [description, example] = HEADERS[name];
      return [name, { description, schema, example }];
    }),
  );
}

function bodyContent(body: Pick<BodyReader<unknown>, 'schemas'>, docs: OperationDocs): object {
  const content = Object.entries(body.schemas).map(([mediaType, schema]) => {
    if (mediaType === 'application/x-ndjson') return [mediaType, lines(schema, docs.bodyExample)];
    const isJson = mediaType.endsWith('json');
    const example = isJson ? docs.bodyExample : docs.bodyExamples?.[mediaType];
    return [mediaType, { schema, example }];
  });
  return Object.fromEntries(content);
}

function lines(entry: TSchema, example: unknown): object {
  const entries = Array.isArray(example) ? example : [example];
  return {
    schema: Type.String({ description: `One ${entry.title ?? 'entry'} as JSON a line` }),
    example: entries.map((one) => `${JSON.stringify(one)}\n`).join(''),
  };
}

const IN_PATH: Record<string, string> = {
  id: 'Id of the resource',
  key: 'Key of the file, as its attachment tells it',
};

const IN_QUERY: Record<string, string> = {
  id: 'One resource, bare',
  // No `default`: generated clients would send it, to views that have no pages too.
  limit: `Items of a page; ${PAGE_DEFAULT} by default`,
  cursor: '`nextCursor` of the page before; it belongs to the filters of that page',
};

// No examples: the page of the document would send them unasked.
const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  'Names this request, so that it takes effect once however often it is sent: a random UUID, for instance',
  { minLength: 1, maxLength: 255 },
);
const IF_MATCH = inHeader('If-Match', 'Entity tag of the version that the change was made for');
const IF_NONE_MATCH = inHeader('If-None-Match', 'Entity tag of what the caller has already');

function inHeader(name: string, description: string, bounds: object = {}): object {
  return { name, in: 'header', description, schema: { type: 'string', ...bounds } };
}

function parameterObjects(
  { method, path }: AccessRow,
  query: TSchema | undefined,
  { parameters = [] }: OperationDocs,
  tagged: boolean,
): object[] {
  const names = [...path.matchAll(/:([a-z]+)/g)].map(([, name = '']) => name);
  return [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      description: IN_PATH[name] ?? name,
      schema: { type: 'string' },
    })),
    ...Object.entries<TSchema>(query?.properties ?? {}).map(([name, schema]) =>
      inQuery(method, name, schema, query?.required?.includes(name) || undefined),
    ),
    ...parameters,
    ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(method === 'PATCH' || method === 'DELETE' ? [IF_MATCH] : []),
    ...(tagged ? [IF_NONE_MATCH] : []),
  ];
}

function inQuery(
  method: AccessRow['method'],
  name: string,
  { description: own, ...schema }: TSchema,
  required: true | undefined,
): object {
  let description = own ?? IN_QUERY[name] ?? `Only those with this \`${name}\``;
  if (method === 'POST')
    description = own ?? `The \`${name}\` of what is sent, where its body does not say it`;
  else if ('items' in schema) {
    const commas = 'enum' in schema.items ? ', or separated by commas' : '';
    description = `${own ?? `Only those whose \`${name}\` is one of these`}; may be repeated${commas}`;
  }
  return {
    name,
    in: 'query',
    required,
    description,
    schema,
  };
}
