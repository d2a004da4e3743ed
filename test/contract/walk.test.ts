// The walk over the access table: every operation as every caller, under every method, before any
// body is looked at.
import { describe, expect, test } from 'bun:test';
import {
  ACCESS,
  type AccessRow,
  type Capability,
  capabilitiesFor,
  type Operation,
  PREFIXES,
} from '../../src/access/access.ts';
import { createApp } from '../../src/app.ts';
import { brokenBodies } from '../support/broken-requests.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import type { Role } from '../support/roles.ts';
import { GUARDED, pathWithoutId, sampleOf } from '../support/samples.ts';

const CAPABILITY_OF: Partial<Record<Role, Capability>> = {
  ...{ owner: 'project:owner', srs: 'srs:edit', agent: 'agent:execute', widget: 'widget:write' },
  demo: 'read:demo',
};

const paths = [...new Set(ACCESS.map((row) => row.path))];

describe('the table and what is served [PQRS-67]', () => {
  test('every route stands in the table, under both prefixes, and every row has a route', async () => {
    const instance = await openInstance();
    const { routes } = await createApp(instance.evidence).open();
    await instance.close();
    const expected = PREFIXES.flatMap((prefix) =>
      ACCESS.map(({ method, path }) => `${method} ${prefix}${path}`),
    );
    const below = routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => / \/api(?:\/|$)/.test(route));
    expect(below.sort()).toEqual(expected.sort());
  });
});

/**
 * The handoff tells of all that is in the project, also of leases of other tests, which may run out
 * between the one prefix and the other.
 */
function triesOf({ key }: { key: Operation }): number {
  return key === 'GET /project-handoff' ? 5 : 1;
}

describe('every cell of the table [PQRS-67]', () => {
  for (const row of GUARDED) {
    for (const role of Object.keys(CAPABILITY_OF) as Role[]) {
      flow(`${row.key} as ${CAPABILITY_OF[role]}`, { needs: [role], tries: triesOf(row) }, (api) =>
        capabilitiesFor(row).includes(CAPABILITY_OF[role]!)
          ? walkCell(api, row, role)
          : refused(api, row, role),
      );
    }
    const nowhere = 'a demo that is off needs a second project';
    flow(
      `${row.key} as a demo that is off`,
      { needs: ['sleepingDemo'], ownBecause: nowhere },
      (api) => refused(api, row, 'sleepingDemo'),
    );
  }
});

describe('a read-only token [PQRS-67]', () => {
  const roles = { auditor: 'project:owner', onlooker: 'agent:execute' } as const;
  for (const row of GUARDED) {
    for (const [role, capability] of Object.entries(roles) as [keyof typeof roles, Capability][]) {
      const may = row.method === 'GET' && capabilitiesFor(row).includes(capability);
      const title = `with ${capability} ${may ? 'may' : 'may not'} ${row.key}`;
      flow(title, { needs: [role], tries: triesOf(row) }, (api) =>
        may ? walkCell(api, row, role) : refused(api, row, role),
      );
    }
  }

  flow(
    'is offered nothing but GET by its handoff',
    { needs: ['auditor'], tries: 5 },
    async (api) => {
      const answer = (await api.get('/project-handoff', { as: 'auditor' })).must(200);
      const { caller, nextActions, workflows } = answer.json<{
        caller: { calls: { method: string }[] };
        nextActions: { request: { method: string } }[];
        workflows: { steps: { missing: string | null }[] }[];
      }>();
      const methods = [...caller.calls, ...nextActions.map(({ request }) => request)];
      expect(new Set(methods.map(({ method }) => method))).toEqual(new Set(['GET']));
      const missing = workflows.flatMap(({ steps }) => steps.map((step) => step.missing));
      expect(missing).not.toContain(null);
    },
  );
});

describe('a token with two capabilities [PQRS-67]', () => {
  for (const row of GUARDED) {
    const allowed = capabilitiesFor(row).some(
      (one) => one === 'srs:edit' || one === 'widget:write',
    );
    if (allowed && row.method !== 'GET') continue;
    const options = { needs: ['mixed'] as const, tries: triesOf(row) };
    flow(`${allowed ? 'may' : 'may not'} ${row.key}`, options, async (api) => {
      if (allowed) {
        const { path, status } = await sampleOf(api, row.key, 'mixed');
        (await api.get(path, { as: 'mixed' })).must(status);
      } else {
        const answer = await api.send(row.method, pathWithoutId(row.path), { as: 'mixed' });
        answer.mustBe(403, 'forbidden');
      }
    });
  }

  flow('may do what its second one allows', { needs: ['mixed'] }, async (api) => {
    (await api.post('/issues', { title: `Mixed ${api.unique}` }, { as: 'mixed' })).must(201);
  });
});

describe('another project [PQRS-68]', () => {
  flow("knows nothing of this one's issues, logs and files", { needs: ['other'] }, async (api) => {
    const issue = (await api.post('/issues', { title: `Ours ${api.unique}` }))
      .must(201)
      .json<{ id: string; number: number }>();
    const logs = await api.post('/system-logs', { message: `ours ${api.unique}` });
    const [log] = logs.must(201).json<{ ids: string[] }>().ids;
    const none = 'iss_00000000000000000000000000';
    const same = async (
      method: string,
      path: (id: string) => string,
      ours: string,
      json?: object,
    ) => {
      const sending = { as: 'other' as const, ...(json ? { json } : {}) };
      const hidden = (await api.send(method, path(ours), sending)).mustBe(404, 'not_found');
      const absent = (await api.send(method, path(none), sending)).mustBe(404, 'not_found');
      expect(apartFromRequestId(hidden.json())).toEqual(apartFromRequestId(absent.json()));
    };
    await same('GET', (id) => `/issues?id=${id}`, issue.id);
    await same('PATCH', (id) => `/issues/${id}`, issue.id, { severity: 'minor' });
    await same('GET', (id) => `/system-logs?id=${id}`, log!);
    for (const id of [issue.id, none]) {
      const headers = {
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename="a"',
      };
      const sending = { as: 'other' as const, headers, body: 'x' };
      (await api.send('POST', `/issues/${id}/attachments`, sending)).mustBe(404, 'not_found');
    }
    for (const id of [log, none]) {
      const settle = await api.patch('/system-logs', { id, state: 'resolved' }, { as: 'other' });
      settle.mustBe(404, 'not_found');
    }
    for (const list of ['/issues', '/system-logs']) {
      const found = await api.get(`${list}?q=${api.unique}`, { as: 'other' });
      expect(found.must(200).json()).toEqual({ items: [], nextCursor: null });
    }
    const projects = (await api.get('/projects', { as: 'other' })).must(200);
    const own = (await api.get('/projects')).must(200).json<{ items: { id: string }[] }>()
      .items[0]!;
    expect(projects.text).not.toContain(own.id);
    (await api.get(`/projects?id=${own.id}`, { as: 'other' })).mustBe(404, 'not_found');
    (await api.get(`/issues?id=${issue.id}`)).must(200);
  });
});

describe('other methods [PQRS-74]', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND', 'QUERY'];

  for (const path of paths) {
    const listed = ACCESS.filter((row) => row.path === path).map((row) => row.method as string);
    flow(`on ${path} are 405`, {}, async (api) => {
      for (const method of METHODS.filter((one) => !listed.includes(one))) {
        for (const as of ['owner', null] as const) {
          const answer = await api.send(method, pathWithoutId(path), { as });
          if (method === 'HEAD') expect(answer.status).toBe(405);
          else answer.mustBe(405, 'method_not_allowed');
          expect(answer.header('allow')).toBe(listed.join(', '));
        }
      }
    });
  }

  flow('are 404 on an unknown path', {}, async (api) => {
    for (const method of METHODS) {
      const answer = await api.send(method, '/no-such-path');
      if (method === 'HEAD') expect(answer.status).toBe(404);
      else answer.mustBe(404, 'not_found');
    }
  });
});

function apartFromRequestId({ requestId: _, ...rest }: Record<string, unknown>): object {
  return rest;
}

async function walkCell(api: Client, row: AccessRow & { key: Operation }, role: Role) {
  const sample = await sampleOf(api, row.key, role);
  const { status } = await api.send(sample.method, sample.path, { ...sample.sending, as: role });
  // Only the instance's owner knows how the instance is; it may be that it is not ready.
  expect(row.key === 'GET /ready' && status === 503 ? 200 : status).toBe(sample.status);
}

async function refused(api: Client, row: AccessRow, role: Role) {
  const path = pathWithoutId(row.path);
  const plain = (await api.send(row.method, path, { as: role })).mustBe(403, 'forbidden');
  expect(plain.header('www-authenticate')).toBe(
    `Bearer realm="pqrs", error="insufficient_scope", scope="${capabilitiesFor(row).join(' ')}"`,
  );
  for (const broken of brokenBodies(row)) {
    const answer = await api.send(row.method, path + (broken.search ?? ''), {
      ...broken,
      as: role,
    });
    answer.mustBe(403, 'forbidden');
    expect(apartFromRequestId(answer.json())).toEqual(apartFromRequestId(plain.json()));
  }
}
