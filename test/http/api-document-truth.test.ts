// Whether the document tells the truth: its example requests are sent to a running instance, and
// what is answered is held against its schemas.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Schema from 'typebox/schema';
import { apiDocument } from '../../src/app.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { type Answer, type DocumentedOperation, operationsOf } from './api-document-reading.ts';

const document = await apiDocument();
const operations = new Map<string, DocumentedOperation>(
  operationsOf(document).map(({ operation }) => [operation.operationId, operation]),
);

let instance: Instance;
let owner: string;
let widget: string;
let issueId: string;

beforeAll(async () => {
  instance = await openInstance();
  const project = await instance.makeProject('default');
  owner = project.token;
  widget = (await instance.makeToken(project.id, ['widget:write'])).text;
  const sources = [
    { path: 's.md', content: '## US-1: One\n\nText.\n\n## US-2: Two\n\nDepends on: US-1\n' },
  ];
  await instance.fetch('/api/projects', {
    method: 'POST',
    token: owner,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'default', sources }),
  });
  const filed = await instance.fetch('/api/issues', {
    method: 'POST',
    token: owner,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'An issue', route: '/' }),
  });
  issueId = ((await filed.json()) as { id: string }).id;
});

afterAll(() => instance.close());

function operationOf(operationId: string): DocumentedOperation {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`The document has no ${operationId}.`);
  return operation;
}

/** Asserts that an answer is one that the document knows for the operation. */
async function expectDocumented(operationId: string, response: Response): Promise<unknown> {
  const { responses } = operationOf(operationId);
  const answer: Answer | undefined = responses[response.status] ?? responses.default;
  if (response.status >= 400) expect(answer?.description).toContain(`- ${response.status} `);
  for (const name of Object.keys(answer?.headers ?? {})) {
    if (['X-Request-Id', 'Location'].includes(name))
      expect(response.headers.get(name)).not.toBeNull();
  }
  if (response.status === 304) return undefined;
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  const media = answer?.content?.[mediaType] ?? answer?.content?.['*/*'];
  expect(media).toBeDefined();
  if (!mediaType.endsWith('json')) return response.text();
  const body = await response.json();
  const schema = { ...media?.schema, components: document.components };
  const [good, errors] = Schema.Compile(schema as never).Errors(body);
  expect(good ? [] : errors).toEqual([]);
  return body;
}

async function send(method: string, path: string, options: RequestInit = {}, token = owner) {
  return instance.fetch(path, { method, token, ...options });
}

/** Sends the example of a media type to an operation. */
async function sendExample(
  operationId: string,
  mediaType: string,
  [method, path]: [string, string],
  token = owner,
): Promise<Response> {
  const example = operationOf(operationId).requestBody?.content[mediaType]?.example;
  const body = typeof example === 'string' ? example : JSON.stringify(example);
  return send(method, path, { body, headers: { 'content-type': mediaType } }, token);
}

describe('the example requests [PQRS-80]', () => {
  const cases: [string, string, string, () => string, number][] = [
    ['createProject', 'application/json', 'POST', () => '/api/projects', 201],
    ['createIssue', 'application/json', 'POST', () => '/api/issues', 201],
    ['updateIssue', 'application/json', 'PATCH', () => `/api/issues/${issueId}`, 200],
    ['updateIssue', 'application/merge-patch+json', 'PATCH', () => `/api/issues/${issueId}`, 200],
    ['writeSystemLogs', 'application/json', 'POST', () => '/api/system-logs', 201],
    ['writeSystemLogs', 'application/x-ndjson', 'POST', () => '/api/system-logs', 201],
    ['updateSystemLogs', 'application/json', 'PATCH', () => '/api/system-logs', 200],
  ];
  for (const [operationId, mediaType, method, path, status] of cases) {
    test(`of ${operationId} as ${mediaType} succeeds as described`, async () => {
      const response = await sendExample(operationId, mediaType, [method, path()]);
      expect(response.status).toBe(status);
      await expectDocumented(operationId, response);
    });
  }

  test('of createIssue succeeds for a widget too', async () => {
    const response = await sendExample(
      'createIssue',
      'application/json',
      ['POST', '/api/issues'],
      widget,
    );
    expect(response.status).toBe(201);
    const body = await expectDocumented('createIssue', response);
    expect(Object.keys(body as object)).not.toContain('history');
  });

  test('of attachEvidence succeeds as a form', async () => {
    const { example } =
      operationOf('attachEvidence').requestBody?.content['multipart/form-data'] ?? {};
    const { file, ...fields } = example as Record<string, string>;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new File([file ?? ''], 'screenshot.png'));
    const response = await send('POST', `/api/issues/${issueId}/attachments`, { body: form });
    expect(response.status).toBe(201);
    await expectDocumented('attachEvidence', response);
  });

  test('of attachEvidence succeeds as bare bytes', async () => {
    const { requestBody } = operationOf('attachEvidence');
    const response = await send('POST', `/api/issues/${issueId}/attachments`, {
      body: requestBody?.content['*/*']?.example as string,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="screenshot.png"',
      },
    });
    expect(response.status).toBe(201);
    await expectDocumented('attachEvidence', response);
  });
});

describe('what reads answer [PQRS-80]', () => {
  const cases: [string, () => string, number][] = [
    ['listProjects', () => '/api/projects', 200],
    ['listProjects', () => '/api/projects?id=prj_none', 404],
    ['listProjects', () => '/api/projects?limit=0', 422],
    ['listIssues', () => '/api/issues', 200],
    ['listIssues', () => `/api/issues?id=${issueId}`, 200],
    ['listIssues', () => '/api/issues?cursor=nonsense', 422],
    ['listIssues', () => '/api/issues?id=iss_none', 404],
    ['listSystemLogs', () => '/api/system-logs', 200],
    ['listSystemLogs', () => '/api/system-logs?view=groups', 200],
    ['getSrsGraph', () => '/api/srs-graph?view=diff&from=1', 200],
    ['getSrsGraph', () => '/api/srs-graph?view=document', 200],
    ['getSrsGraph', () => '/api/srs-graph?view=document&root=', 200],
    ['getHealth', () => '/api/health', 200],
    ['getReadiness', () => '/api/ready', 200],
    ['getFile', () => '/api/files/none', 403],
  ];
  for (const [operationId, path, status] of cases) {
    test(`${operationId}, ${status}`, async () => {
      const response = await send('GET', path());
      expect(response.status).toBe(status);
      await expectDocumented(operationId, response);
    });
  }

  test('listIssues, 304 to the entity tag it gave', async () => {
    const path = `/api/issues?id=${issueId}`;
    const etag = (await send('GET', path)).headers.get('etag') ?? '';
    const response = await send('GET', path, { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(304);
    await expectDocumented('listIssues', response);
  });

  test('listSystemLogs of one entry', async () => {
    const list = (await (await send('GET', '/api/system-logs')).json()) as {
      items: { id: string }[];
    };
    const response = await send('GET', `/api/system-logs?id=${list.items[0]?.id}`);
    expect(response.status).toBe(200);
    await expectDocumented('listSystemLogs', response);
  });

  test('getFile by the link that an answer holds', async () => {
    const { attachments } = (await (await send('GET', `/api/issues?id=${issueId}`)).json()) as {
      attachments: { url: string }[];
    };
    const response = await instance.fetch(attachments[0]?.url ?? '');
    expect(response.status).toBe(200);
    await expectDocumented('getFile', response);
    const part = await instance.fetch(attachments[0]?.url ?? '', {
      headers: { range: 'bytes=0-3' },
    });
    expect(part.status).toBe(206);
    await expectDocumented('getFile', part);
  });
});

describe('what reads answer in each format [PQRS-80]', () => {
  const asked = operationsOf(document).flatMap(({ method, path, operation }) =>
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.name === 'format')
      .flatMap(({ schema }) => schema?.enum ?? [])
      .map((format) => ({ ...operation, method, path, format })),
  );

  test('is asked of all that have one', () => {
    expect(new Set(asked.map(({ path }) => path)).size).toBeGreaterThanOrEqual(5);
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  for (const { operationId, path, format } of asked) {
    test(`${operationId} as ${format}`, async () => {
      const isOfDiff = operationId === 'getSrsGraph' && /^(?:html|markdown)$/.test(format);
      const view = isOfDiff ? '&view=diff&from=1' : '';
      const response = await send('GET', `${path}?format=${format}${view}`);
      expect(response.status).toBe(200);
      await expectDocumented(operationId, response);
    });
  }
});

describe('what refusals answer [PQRS-80]', () => {
  test('400, 404, 413, 415 and 422 of deleteStoryAddition, which may have a body', async () => {
    const { requestBody } = operationOf('deleteStoryAddition');
    expect(requestBody).toMatchObject({ required: false });
    const { example } = requestBody?.content['application/json'] ?? {};
    const sent: [number, string, string][] = [
      [400, '{', 'application/json'],
      [404, JSON.stringify(example), 'application/json'],
      [413, ' '.repeat(2 ** 20 + 1), 'application/json'],
      [415, 'x', 'text/plain'],
      [422, '{}', 'application/json'],
    ];
    for (const [status, body, mediaType] of sent) {
      const headers = { 'content-type': mediaType };
      const response = await send('DELETE', '/api/story-additions', { body, headers });
      expect(response.status).toBe(status);
      await expectDocumented('deleteStoryAddition', response);
    }
  });

  test('400, 401, 403, 405, 413, 415 and 422 of createIssue', async () => {
    const json = { 'content-type': 'application/json' };
    const sent: [number, string, RequestInit, string][] = [
      [400, 'POST', { body: '{', headers: json }, owner],
      [401, 'POST', { body: '{}', headers: json }, 'nonsense'],
      [403, 'POST', { body: '{"title":"x","labels":[]}', headers: json }, widget],
      [405, 'DELETE', {}, owner],
      [413, 'POST', { body: ' '.repeat(2 ** 20 + 1), headers: json }, owner],
      [415, 'POST', { body: 'x', headers: { 'content-type': 'text/plain' } }, owner],
      [422, 'POST', { body: '{}', headers: json }, owner],
    ];
    for (const [status, method, options, token] of sent) {
      const response = await send(method, '/api/issues', options, token);
      expect(response.status).toBe(status);
      await expectDocumented('createIssue', response);
    }
  });

  test('409 and 412 of updateIssue', async () => {
    const patch = (body: object, headers: Record<string, string> = {}) =>
      send('PATCH', `/api/issues/${issueId}`, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
    const moved = await patch({ status: 'triaged' });
    expect(moved.status).toBe(409);
    await expectDocumented('updateIssue', moved);
    const stale = await patch({ title: 'Other' }, { 'if-match': '"1-stale"' });
    expect(stale.status).toBe(412);
    await expectDocumented('updateIssue', stale);
  });
});
