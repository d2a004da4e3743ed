// A good request for each operation, for tests that walk over all of them.
import { ACCESS, type Operation } from '../../src/access/access.ts';
import type { Client, Sending } from './client.ts';
import type { Role } from './roles.ts';
import type { Issue, Page, Project } from './shapes.ts';

export interface Sample {
  method: string;
  /** Below the prefix. */
  path: string;
  sending: Sending;
  /** What it answers to whoever may call. */
  status: number;
}

/** Where it goes unless that is its own path, what is sent, and what is answered unless that is 200. */
interface Made {
  path?: string;
  json?: unknown;
  sending?: Sending;
  status?: number;
}

type MakeSample = (api: Client, as: Role) => Promise<Made> | Made;

/** Files an issue as somebody who may, and gives its id. */
export async function fileIssue(api: Client, as: Role, over: object = {}): Promise<string> {
  const body = { title: `Walked over ${api.unique}`, ...over };
  return (await api.post('/issues', body, { as })).must(201).id;
}

/** Files issues with a label of their own; gives their ids, the oldest first. */
export async function fileMany(api: Client, bodies: object[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies)
    ids.push(
      await fileIssue(api, 'owner', {
        ...{ title: `Listed ${api.unique}`, labels: [api.unique], ...body },
      }),
    );
  return ids;
}

/** A page of issues. */
export const issuePage = async (api: Client, query: Sending['query']) =>
  (await api.get('/issues', { query })).must(200).json<Page<Issue>>();

const added = new WeakMap<Client, number>();

/** A new story; numbered by the client, so that both prefixes say the same. */
function newStory(api: Client): { storyId: string; title: string } {
  const number = (added.get(api) ?? 0) + 1;
  added.set(api, number);
  return { storyId: `S${number}-${api.unique}`, title: `Walked over ${api.unique}` };
}

/** Adds a story as an owner. */
export async function addStory(api: Client): Promise<{ id: string; storyId: string }> {
  return (await api.post('/story-additions', newStory(api))).must(201).json();
}

/** Edits a new story as an owner, and gives the edit's id. */
async function editStory(api: Client): Promise<string> {
  const body = { storyId: (await addStory(api)).storyId, set: { title: 'Edited' } };
  const { edit } = (await api.post('/story-edits', body))
    .must(201)
    .json<{ edit: { id: string } }>();
  return edit.id;
}

/** A new command's body; its key is numbered by the client, so that both prefixes say the same. */
function newCommand(api: Client): { key: string; argv: string[] } {
  const number = (added.get(api) ?? 0) + 1;
  added.set(api, number);
  return { key: `C${number}-${api.unique}`, argv: ['true'] };
}

/** Registers a command as an owner. */
export async function addCommand(
  api: Client,
  over: object = {},
): Promise<{ id: string; key: string }> {
  return (await api.post('/test-commands', { ...newCommand(api), ...over })).must(201).json();
}

const SAMPLES: Partial<Record<Operation, MakeSample>> = {
  'GET /projects': () => ({}),
  'GET /project-handoff': () => ({}),
  'POST /projects': async (api) => {
    const page = (await api.get('/projects')).must(200).json<Page<Project>>();
    return { json: { slug: page.items[0]!.slug } };
  },
  'GET /srs-graph': () => ({}),
  'GET /srs-source-audit': () => ({}),
  'GET /srs-story/:id': async (api) => ({ path: `/srs-story/${(await addStory(api)).storyId}` }),
  'GET /srs-workflow/:id': async (api) => ({
    path: `/srs-workflow/${(await addStory(api)).storyId}`,
  }),
  'POST /story-edits': async (api) => ({
    json: { storyId: (await addStory(api)).storyId, set: { title: 'Edited' } },
    status: 201,
  }),
  'PATCH /story-edits': async (api) => ({
    json: { id: await editStory(api), state: 'withdrawn' },
  }),
  'POST /story-additions': (api) => ({
    json: newStory(api),
    status: 201,
  }),
  'DELETE /story-additions': async (api) => ({
    path: `/story-additions?id=${(await addStory(api)).id}`,
    status: 204,
  }),
  'GET /project-traceability': async (api) => ({
    path: `/project-traceability?view=impact&storyId=${(await addStory(api)).storyId}`,
  }),
  'POST /project-traceability': async (api) => {
    const { storyId } = await addStory(api);
    const trace = { storyId, type: 'verifies', target: { kind: 'test', id: `t1:${api.unique}` } };
    return { json: { add: [trace] } };
  },
  'GET /validation-transfer': async (api) => ({
    path: `/validation-transfer?view=history&storyId=${(await addStory(api)).storyId}`,
  }),
  'POST /validation-transfer': async (api) => {
    const { storyId } = await addStory(api);
    const results = [{ storyId, verdict: 'passed' }];
    return { json: { mode: 'record', results } };
  },
  'GET /test-commands': async (api) => ({
    path: `/test-commands?key=${(await addCommand(api)).key}`,
  }),
  'POST /test-commands': (api) => ({
    json: newCommand(api),
    status: 201,
  }),
  'PATCH /test-commands': async (api) => ({
    json: { id: (await addCommand(api)).id, tags: ['walked'] },
  }),
  'GET /run-state': () => ({ path: '/run-state?state=broken' }),
  'POST /run-state': (api) => ({
    json: { name: `Walked over ${api.unique}` },
    status: 201,
  }),
  'POST /agent/suite': async (api) => {
    const suite = { items: [{ commandId: (await addCommand(api)).id }] };
    return { json: { suite, agent: { name: 'walker' } }, status: 201 };
  },
  'POST /test-runs': (api) => ({
    json: { results: [{ name: `Walked over ${api.unique}`, status: 'passed' }] },
    status: 201,
  }),
  'GET /test-runs': (api) => ({ path: `/test-runs?environment=${api.unique}` }),
  'POST /agent/plan': (api) => ({
    json: { strategy: 'risk', tags: [api.unique] },
    status: 201,
  }),
  'GET /project-scenarios': (api) => ({ path: `/project-scenarios?storyIds=${api.unique}` }),
  'POST /project-scenarios': (api) => ({
    json: {
      key: newStory(api).storyId,
      steps: [{ keyword: 'When', text: `it is walked over ${api.unique}` }],
    },
    status: 201,
  }),
  'GET /route-catalog': (api) => ({ path: `/route-catalog?storyIds=${api.unique}` }),
  'GET /route-candidates': (api) => ({ path: `/route-candidates?storyIds=${api.unique}` }),
  'GET /issues': (api) => ({ path: `/issues?labels=${api.unique}` }),
  'POST /issues': (api) => ({
    json: { title: `Walked over ${api.unique}` },
    status: 201,
  }),
  'PATCH /issues/:id': async (api) => ({
    path: `/issues/${await fileIssue(api, 'owner')}`,
    json: { severity: 'minor' },
  }),
  'POST /issues/:id/attachments': async (api, as) => ({
    path: `/issues/${await fileIssue(api, as)}/attachments`,
    sending: {
      body: `seen at ${api.unique}`,
      headers: {
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename="a.txt"',
      },
    },
    status: 201,
  }),
  'GET /system-logs': (api) => ({ path: `/system-logs?source=${api.unique}` }),
  'POST /system-logs': (api) => ({
    json: { message: `walked over ${api.unique}` },
    status: 201,
  }),
  'PATCH /system-logs': async (api) => {
    const sent = await api.post('/system-logs', { message: `walked over ${api.unique}` });
    const { ids } = sent.must(201).json<{ ids: string[] }>();
    return { json: { id: ids[0], state: 'resolved' } };
  },
  'GET /health': () => ({}),
  'GET /ready': () => ({}),
};

/** The operations that a bearer token opens. */
export const GUARDED = ACCESS.filter((row) => row.allow !== 'signature');

/**
 * A good request for an operation.
 *
 * @param as - who will send it
 * @throws where there is none yet: a new operation needs one
 */
export async function sampleOf(api: Client, operation: Operation, as: Role): Promise<Sample> {
  const make = SAMPLES[operation];
  if (!make) throw new Error(`test/support/samples.ts has no good request for ${operation}`);
  const [method = '', ownPath = ''] = operation.split(' ');
  const { path = ownPath, json, status = 200, ...rest } = await make(api, as);
  const sending = rest.sending ?? (json === undefined ? {} : { json });
  return { method, path, sending, status };
}

/** The operation's path with an id in it that nothing has. */
export function pathWithoutId(path: string): string {
  return path.replace(/:[a-z]+/g, 'iss_00000000000000000000000000');
}

/** The same for an issue that exists, made by somebody who may. */
export async function issueOf(api: Client, id: string): Promise<Issue> {
  return (await api.get('/issues', { query: { id } })).must(200).json<Issue>();
}
