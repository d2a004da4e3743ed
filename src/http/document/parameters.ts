// The parameters of an operation, as the API document describes them.
import type { TSchema } from '@sinclair/typebox';
import type { AccessRow } from '../../access/access.ts';
import type { ParameterDocs } from '../../model/docs.ts';
import { PAGE_DEFAULT } from '../../model/pages.ts';

const IN_PATH: Record<string, string> = {
  id: 'Id of the resource',
  key: 'Key of the file, as its attachment tells it',
};

const IN_QUERY: Record<string, string> = {
  id: 'One resource, bare',
  limit: 'Items of a page',
  cursor: '`nextCursor` of the page before; it belongs to the filters of that page',
};

// No examples: the page of the document would send them unasked.
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Names this request, so that it takes effect once however often it is sent: a random UUID, for instance',
  { type: 'string', minLength: 1, maxLength: 255 },
);
const IF_MATCH = header('If-Match', 'Entity tag of the version that the change was made for');
const IF_NONE_MATCH = header('If-None-Match', 'Entity tag of what the caller has already');

function header(name: string, description: string, schema: object = { type: 'string' }) {
  return { 'x-component': name, name, in: 'header', description, schema };
}

/** The parameters of an operation. */
export function parameterObjects(
  { method, path }: AccessRow,
  query: TSchema | undefined,
  own: readonly ParameterDocs[],
  tagged: boolean,
): unknown[] {
  return [
    ...[...path.matchAll(/:([a-z]+)/g)].map(([, name = '']) => inPath(name)),
    ...Object.entries<TSchema>(query?.properties ?? {}).map(([name, schema]) =>
      inQuery(method, name, schema, query?.required?.includes(name) ?? false),
    ),
    ...own,
    ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(method === 'PATCH' || method === 'DELETE' ? [IF_MATCH] : []),
    ...(method === 'GET' && tagged ? [IF_NONE_MATCH] : []),
  ];
}

function inPath(name: string): unknown {
  const description = IN_PATH[name] ?? name;
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

function inQuery(
  method: AccessRow['method'],
  name: string,
  schema: TSchema,
  required: boolean,
): unknown {
  const { description, ...checked } = schema;
  return {
    name,
    in: 'query',
    ...(required ? { required } : {}),
    description: describeQuery(method, name, checked, description),
    schema: name === 'limit' ? { ...checked, default: PAGE_DEFAULT } : checked,
  };
}

function describeQuery(
  method: AccessRow['method'],
  name: string,
  schema: object,
  own: string | undefined,
): string {
  if (method === 'POST')
    return own ?? `The \`${name}\` of what is sent, where its body does not say it`;
  if (!('items' in schema)) return own ?? IN_QUERY[name] ?? `Only those with this \`${name}\``;
  const commas = 'enum' in (schema.items as object) ? ', or separated by commas' : '';
  return `${own ?? `Only those whose \`${name}\` is one of these`}; may be repeated${commas}`;
}
