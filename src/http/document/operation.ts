// How one operation is written into the API document: everything that follows from its row in the
// access table and its schemas, so that a noun says only what is its own.
import { type TSchema, Type } from '@sinclair/typebox';
import { type AccessRow, accessRow, capabilitiesFor, type Operation } from '../../access/access.ts';
import type { ProblemCode } from '../../errors.ts';
import type { OperationDocs, ReplyDocs } from '../../model/docs.ts';
import type { BodyReader } from '../api/body.ts';
import { type AnswerObject, exampleOf, problemObjects, replyObjects } from './answers.ts';
import { parameterObjects } from './parameters.ts';

interface Described {
  docs: OperationDocs;
  query: TSchema | undefined;
  body: BodyReader<unknown> | undefined;
}

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

type OperationObject = Record<string, unknown>;

export interface RouteHooks {
  detail?: { 'x-docs'?: OperationDocs };
  query?: { schema: TSchema };
  body?: BodyReader<unknown>;
  response?: Record<number, { schema: TSchema }>;
}

/**
 * The OpenAPI operation object of a route. Parts of it that carry `x-component`, and schemas that
 * carry a title, become components when the document is finished.
 */
export function describeOperation(
  method: string,
  path: string,
  { detail, query, body, response = {} }: RouteHooks,
): OperationObject {
  const access = accessRow(`${method} ${path}` as Operation);
  const docs = detail?.['x-docs'] as OperationDocs;
  const replies = Object.entries(docs.replies).map(([status, reply]) => [
    status,
    { schema: response[Number(status)]?.schema, ...reply },
  ]);
  return operationObject(access, {
    docs: { ...docs, replies: Object.fromEntries(replies) },
    query: query?.schema,
    body,
  });
}

function operationObject(access: AccessRow, { docs, query, body }: Described): OperationObject {
  const taken = body ?? docs.optionalBody;
  const { method, operationId, area, purpose } = access;
  const tagged = docs.replies[200]?.headers?.includes('ETag') ?? false;
  const bySignature = access.allow === 'signature';
  const codes = new Set<ProblemCode>([
    ...EVERYWHERE,
    ...(bySignature ? [] : (['forbidden', 'invalid'] as const)),
    ...(taken ? WITH_BODY : []),
    ...(method === 'POST' ? (['conflict', 'idempotency_mismatch'] as const) : []),
    ...(method === 'PATCH' || method === 'DELETE' ? (['precondition_failed'] as const) : []),
    ...(docs.problems ?? []),
  ]);
  const replies = method === 'GET' && tagged ? { 304: UNCHANGED, ...docs.replies } : docs.replies;
  return {
    operationId,
    tags: [area],
    summary: purpose,
    description: `${docs.description}\n\n${whoMayCall(access)}`,
    security: [bySignature ? { signature: [] } : { bearer: [] }],
    'x-capabilities': capabilitiesFor(access),
    parameters: parameterObjects(access, query, docs.parameters ?? [], tagged),
    ...(taken
      ? { requestBody: { required: taken === body, content: bodyContent(taken, docs) } }
      : {}),
    responses: merged(replyObjects(access, replies), problemObjects(codes)),
  };
}

const UNCHANGED: ReplyDocs = {
  description: 'Nothing has changed since the entity tag that `If-None-Match` names',
  headers: ['ETag'],
};

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

function bodyContent(
  body: Pick<BodyReader<unknown>, 'schemas'>,
  docs: OperationDocs,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body.schemas).map(([mediaType, schema]) => {
      if (mediaType === 'application/x-ndjson') return [mediaType, lines(schema, docs.bodyExample)];
      const example = mediaType.endsWith('json')
        ? docs.bodyExample
        : docs.bodyExamples?.[mediaType];
      return [mediaType, { schema, ...exampleOf(example) }];
    }),
  );
}

function lines(entry: TSchema, example: unknown): object {
  const entries = Array.isArray(example) ? example : [example];
  return {
    schema: Type.String({ description: `One ${entry.title ?? 'entry'} as JSON a line` }),
    ...exampleOf(entries.map((one) => `${JSON.stringify(one)}\n`).join('')),
  };
}

function merged(
  replies: Record<string, AnswerObject>,
  problems: Record<string, AnswerObject>,
): Record<string, AnswerObject> {
  const both = Object.entries(problems).flatMap(([status, problem]) => {
    const reply = replies[status];
    if (!reply) return [];
    const description = `${reply.description}; or ${problem.description}`;
    const headers = { ...reply.headers, ...problem.headers };
    const content = { ...reply.content, ...problem.content };
    return [[status, { description, headers, content }] as const];
  });
  return { ...replies, ...problems, ...Object.fromEntries(both) };
}
