// Makes what `pqrs client typescript` prints: the types of every request and answer of the API
// document, and a client that sends them. The executable embeds the text.
import type { BunPlugin } from 'bun';
import type { ApiDocument } from '../src/http/document/document.ts';

interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  security: object[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** A bundler plugin that gives the client as the text of `client.txt`. */
export function embedClient(text: () => Promise<string>): BunPlugin {
  return {
    name: 'embed-client',
    setup(build) {
      build.onResolve({ filter: /^\.\/client\.txt$/ }, () => ({
        path: 'client.txt',
        namespace: 'embed-client',
      }));
      build.onLoad({ filter: /./, namespace: 'embed-client' }, async () => ({
        contents: await text(),
        loader: 'text',
      }));
    },
  };
}

export function clientText({ info, paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, ...rest } = operation as unknown as Operation;
      return { operationId, path, method: method.toUpperCase(), ...rest };
    }),
  );
  const types = Object.entries(components.schemas as Record<string, Schema>).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const interfaces = operations.map(
    (one) => `${comment(one.summary)}${one.operationId}: ${block(operationLines(one))};`,
  );
  const routes = operations.map(
    ({ operationId, method, path }) => `  ${operationId}: ['${method}', '${path}'],`,
  );
  return [
    `// The client of pqrs ${info.version}, made by \`pqrs client typescript\`.`,
    ...types,
    `/** What each operation takes and answers. */\nexport interface Operations ${block(interfaces)}\n`,
    `const ROUTES: Record<keyof Operations, [method: string, path: string]> = {\n${routes.join('\n')}\n};`,
    RUNTIME,
  ].join('\n');
}

const SIGNATURE = { name: 'signature', in: 'query', required: true, schema: { type: 'string' } };

function operationLines({ parameters, security, requestBody, responses }: Operation): string[] {
  const signed = security.some((scheme) => 'signature' in scheme);
  const all = signed ? [...parameters, SIGNATURE] : parameters;
  const inPlace = (place: string) =>
    // A 304 has no answer to give: `send` is for conditional requests.
    all.filter((one) => one.in === place && one.name !== 'If-None-Match');
  const lineOf = ({ name, required, description, schema }: Parameter) =>
    member(name, description ? { description, ...schema } : schema, required === true);
  const group = (name: string, own: Parameter[]) => {
    const optional = own.some(({ required }) => required) ? '' : '?';
    return own.length > 0 ? [`${name}${optional}: ${block(own.map(lineOf))};`] : [];
  };
  const request = [
    ...inPlace('path').map(lineOf),
    ...group('query', inPlace('query')),
    ...group('headers', inPlace('header')),
  ];
  if (requestBody) {
    const { content, required } = requestBody;
    request.push(`body${required ? '' : '?'}: ${contentType(content, SENT_AS_JSON, 'Blob')};`);
  }
  const answers = Object.entries(responses)
    .filter(([status]) => status !== '304' && status !== 'default')
    .map(([, { content }]) =>
      content ? contentType(content, /[/+]json$/, 'Response') : 'undefined',
    );
  return [`request: ${block(request)};`, `answer: ${union(answers)};`];
}

const SENT_AS_JSON = /^application\/(?:merge-patch\+)?json$/;

function contentType(content: Content, isJson: RegExp, other: string): string {
  const types = Object.entries(content).map(([mediaType, { schema }]) => {
    if (mediaType.startsWith('multipart/')) return 'FormData';
    return isJson.test(mediaType) ? typeOf(schema) : other;
  });
  return union(types);
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, type, items } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (anyOf) return union(anyOf.map(typeOf));
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'integer') return 'number';
  if (type === 'array') return `Array<${typeOf(items ?? {})}>`;
  if (type === 'object') return objectType(schema);
  return type === undefined ? 'unknown' : schema.format === 'binary' ? 'Blob' : type;
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const open = additionalProperties !== undefined && additionalProperties !== false;
  const members = Object.entries(properties).map(([name, one]) =>
    member(name, one, required.includes(name)),
  );
  if (members.length > 0) return block(open ? [...members, '[name: string]: unknown;'] : members);
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}

function member(name: string, schema: Schema, required: boolean): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${comment(schema.description)}${key}${required ? '' : '?'}: ${typeOf(schema)};`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function block(lines: string[]): string {
  if (lines.length === 0) return '{}';
  return `{\n${lines.join('\n').replace(/^/gm, '  ')}\n}`;
}

function comment(text: string | undefined): string {
  return text ? `/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n` : '';
}

const RUNTIME = `
/** A problem document (RFC 9457) that was the answer. */
export class PqrsProblem extends Error {
  override name = 'PqrsProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

type Request<Id extends keyof Operations> = Operations[Id]['request'];

/**
 * A method for each operation. A JSON answer comes parsed, another as its \`Response\`, a problem is
 * thrown. A \`Blob\` is a body of its own media type, such as \`new Blob([xml], { type: 'text/xml' })\`.
 */
export type PqrsClient = {
  [Id in keyof Operations]: (
    ...request: {} extends Request<Id> ? [request?: Request<Id>] : [request: Request<Id>]
  ) => Promise<Operations[Id]['answer']>;
} & {
  /** The same as its \`Response\`, with any header, for instance If-None-Match. */
  send<Id extends keyof Operations>(
    operation: Id,
    request: Request<Id> & { headers?: Record<string, string> },
  ): Promise<Response>;
};

interface Sent {
  id?: string;
  key?: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * A client of an instance.
 * @param url - of the instance, such as \`http://127.0.0.1:4870\`
 * @param fetcher - takes the place of \`fetch\`
 */
export function createClient(url: string, token: string, fetcher = fetch): PqrsClient {
  async function send(operation: keyof Operations, sent: Sent = {}): Promise<Response> {
    const [method, path] = ROUTES[operation];
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(sent.query ?? {}))
      for (const one of Array.isArray(value) ? value : [value])
        if (one !== undefined) query.append(name, String(one));
    const { id = '', key = '', body } = sent;
    const named = path.replace('{id}', encodeURIComponent(id)).replace('{key}', encodeURIComponent(key));
    const headers = new Headers({ ...sent.headers, Authorization: \`Bearer \${token}\` });
    const isRaw = body === undefined || body instanceof FormData || body instanceof Blob;
    if (!isRaw) headers.set('Content-Type', 'application/json');
    const response = await fetcher(\`\${url.replace(/\\/$/, '')}\${named}\${query.size > 0 ? \`?\${query}\` : ''}\`, {
      method,
      headers,
      body: isRaw ? (body ?? null) : JSON.stringify(body),
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('application/problem+json')) throw new PqrsProblem(await response.json());
    if (response.status >= 400 && !type.includes('json'))
      throw new Error(\`\${method} \${path} was answered \${response.status}\`);
    return response;
  }

  async function call(operation: keyof Operations, sent?: Sent): Promise<unknown> {
    const response = await send(operation, sent);
    if (response.status === 204) return undefined;
    return /[/+]json/.test(response.headers.get('content-type') ?? '') ? response.json() : response;
  }

  const operations = Object.keys(ROUTES) as (keyof Operations)[];
  const methods = operations.map((operation) => [operation, (sent?: Sent) => call(operation, sent)]);
  return { ...Object.fromEntries(methods), send } as unknown as PqrsClient;
}
`;
