// The answers of an operation, as the API document describes them: successes as its route says,
// problems as they follow from its row in the access table.
import { Type } from '@sinclair/typebox';
import type { AccessRow, Method } from '../../access/access.ts';
import { PROBLEMS, type ProblemCode } from '../../errors.ts';
import type { HeaderName, ReplyDocs } from '../../model/docs.ts';
import { oneOf } from '../../model/schemas.ts';
import { headerObjects, RATE_HEADERS } from './headers.ts';

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

const PROBLEM_HEADERS: Partial<Record<ProblemCode, readonly HeaderName[]>> = {
  unauthorized: ['WWW-Authenticate'],
  forbidden: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  conflict: ['Retry-After'],
  unsupported_media_type: ['Accept'],
  range_not_satisfiable: ['Content-Range'],
  rate_limited: ['Retry-After', ...RATE_HEADERS],
  unavailable: ['Retry-After'],
};

export interface AnswerObject {
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, unknown>;
}

const CODES_OF_A_COMPONENT = 2;

export function replyObjects(
  { method, allow }: AccessRow,
  replies: Record<number, ReplyDocs>,
): Record<string, AnswerObject> {
  return Object.fromEntries(
    Object.entries(replies).map(([status, docs]) => [
      status,
      {
        description: docs.description,
        headers: headerObjects([
          'X-Request-Id',
          ...(allow === 'signature' || Number(status) >= 300 ? [] : RATE_HEADERS),
          ...headersOf(method, Number(status)),
          ...(docs.headers ?? []),
        ]),
        ...contentOf(docs),
      },
    ]),
  );
}

function headersOf(method: Method, status: number): HeaderName[] {
  return [
    ...(status === 201 ? (['Location'] as const) : []),
    ...(method === 'POST' && status < 300 ? (['Idempotency-Replayed'] as const) : []),
  ];
}

function contentOf({ schema, example, examples, mediaType, alsoAs = {} }: ReplyDocs) {
  if (!schema) return {};
  const others = Object.entries(alsoAs).map(([name, one]) => [
    name,
    typeof one === 'string' ? { schema: Type.String(), ...exampleOf(one) } : one,
  ]);
  return {
    content: {
      [mediaType ?? 'application/json']: { schema, ...exampleOf(example, examples) },
      ...Object.fromEntries(others),
    },
  };
}

export function exampleOf(example: unknown, examples?: Record<string, unknown>): object {
  if (!examples) return example === undefined ? {} : { example };
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { examples: Object.fromEntries(named) };
}

export function problemObjects(codes: ReadonlySet<ProblemCode>): Record<string, AnswerObject> {
  const byStatus = Map.groupBy(
    PROBLEMS.filter(({ code }) => codes.has(code)),
    ({ status }) => status,
  );
  return Object.fromEntries(
    [...byStatus].map(([status, problems]) => [status, problemObject(problems)]),
  );
}

function problemObject(problems: typeof PROBLEMS): AnswerObject {
  const name = problems.map(({ code }) => pascalCase(code)).join('Or');
  const examples = problems.map((problem) => [problem.code, problemExample(problem)]);
  const headers = problems.flatMap(({ code }) => PROBLEM_HEADERS[code] ?? []);
  return {
    ...(problems.length > CODES_OF_A_COMPONENT ? {} : { 'x-component': name }),
    description: problems.map(({ code, title }) => `\`${code}\`: ${title}`).join('; '),
    headers: headerObjects(['X-Request-Id', ...headers]),
    content: {
      'application/problem+json': {
        schema: ProblemDocument,
        ...exampleOf(undefined, Object.fromEntries(examples)),
      },
    },
  };
}

function problemExample({ code, status, title }: (typeof PROBLEMS)[number]): object {
  const errors = code === 'invalid' ? [{ pointer: '/title', detail: 'is required' }] : [];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail: errors.length > 0 ? '/title: is required' : `${title}.`,
    code,
    requestId: '9f2c61d0ab34-7k',
    errors,
  };
}

function pascalCase(code: string): string {
  return code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
