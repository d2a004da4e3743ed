// Leases by a clock that the test moves: what renews and ends them with their credential leases, and
// what holds whatever agents, owners and time do.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { credentialLeases, leases } from '../../src/store/tables/agents.ts';
import type { RunState, Suite } from '../support/claims.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LEASE_MS = 1000;

let instance: Instance;
let owner: string;
let projectId: string;

beforeAll(async () => {
  instance = await openInstance();
  ({ id: projectId, token: owner } = await instance.makeProject('default'));
});
afterAll(() => instance.close());

async function send(
  method: string,
  path: string,
  body?: object,
  { token = owner, at = instance }: { token?: string; at?: Instance } = {},
) {
  const init = body ? { body: JSON.stringify(body) } : {};
  const headers = { 'content-type': 'application/json' };
  const response = await at.fetch(`/api${path}`, { ...init, method, headers, token });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

let commands = 0;
async function addCommand(over: object = {}): Promise<string> {
  commands += 1;
  const made = await send('POST', '/test-commands', { key: `c${commands}`, argv: ['a'], ...over });
  expect(made.status).toBe(201);
  return made.body.id as string;
}

interface Held {
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
  seq: number;
  by: string;
  position: number;
}

async function claim(asked: object, by = owner): Promise<{ suite: Suite; held: Held[] }> {
  const body = { agent: { name: 'robot' }, leaseMs: LEASE_MS, ...asked };
  const answer = await send('POST', '/agent/suite', body, { token: by });
  const suite = answer.body as unknown as Suite;
  const { id, token } = suite.lease ?? {};
  const held = suite.items.map(({ runId, attempt, position }) => ({
    runId,
    attempt,
    lease: { id, token },
    seq: 0,
    by,
    position,
  }));
  return { suite, held };
}

function write(held: Held, said: object = {}) {
  held.seq += 1;
  const { by: token, position: _, ...body } = held;
  return send('POST', '/run-state', { ...body, ...said }, { token });
}

function report(held: Held, status = 'passed') {
  const { by: token, seq: _, position: __, ...body } = held;
  return send('POST', '/test-runs', { ...body, results: [{ name: 'a', status }] }, { token });
}

const runOf = async (runId: string) =>
  (await send('GET', `/run-state?runId=${runId}`)).body as unknown as RunState;

const read = () => instance.evidence.database.read;

async function leaseOf(id: string) {
  const [lease] = await read().select().from(leases).where(eq(leases.id, id));
  return lease!;
}

const credentialLeasesOf = (id: string) =>
  read().select().from(credentialLeases).where(eq(credentialLeases.leaseId, id));

/** Whoever asks for a plan that there is not finds what is due ended. */
const pass = (ms: number) => {
  instance.pass(ms);
  return send('POST', '/run-state', { name: 'of another', leaseMs: 3_600_000 });
};

let credentials = 0;
async function claimWithCredential() {
  credentials += 1;
  const name = `SECRET_${credentials}`;
  const commandId = await addCommand({
    credentials: [name],
    secrets: { [name]: 'a secret value' },
  });
  const claimed = await claim({ commandIds: [commandId] });
  expect(claimed.suite.credentials).toEqual({ [name]: 'a secret value' });
  return { commandId, leaseId: claimed.suite.lease.id, held: claimed.held[0] as Held };
}

describe('credential leases [PQRS-40]', () => {
  test('last as long as heartbeats come, and end with their suite', async () => {
    const { leaseId, held } = await claimWithCredential();
    const issued = await leaseOf(leaseId);
    for (let beat = 0; beat < 3; beat++) {
      await pass(800);
      expect((await write(held)).status).toBe(200);
    }
    const renewed = await leaseOf(leaseId);
    expect(renewed.expiresAt - issued.expiresAt).toBeGreaterThanOrEqual(2400);
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: null }]);
    expect((await report(held)).status).toBe(201);
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: 'done' }]);
    expect(await leaseOf(leaseId)).toMatchObject({ endedWhy: 'done' });
  });

  test('end by expiry, and resume with the run', async () => {
    const { leaseId, held } = await claimWithCredential();
    await pass(LEASE_MS + 1);
    await write({ ...held, seq: 0 });
    held.seq = 1;
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: null }]);
    await pass(LEASE_MS + 1);
    await claim({ commandIds: [await addCommand()], leaseMs: 60_000 });
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: 'expired' }]);
    expect((await write(held)).status).toBe(200);
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: null, endedAt: null }]);
  });

  test('end with their command, and stay ended when the run resumes', async () => {
    const { leaseId, held, commandId } = await claimWithCredential();
    await pass(LEASE_MS + 1);
    await claim({ commandIds: [await addCommand()], leaseMs: 60_000 });
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: 'expired' }]);
    await send('PATCH', '/test-commands', { id: commandId, state: 'disabled' });
    expect((await write(held)).status).toBe(200);
    expect(await credentialLeasesOf(leaseId)).toMatchObject([{ endedWhy: 'expired' }]);
    const other = await claimWithCredential();
    await send('PATCH', '/test-commands', { id: other.commandId, state: 'disabled' });
    expect((await write(other.held)).status).toBe(200);
    expect(await credentialLeasesOf(other.leaseId)).toMatchObject([
      { endedWhy: 'command_disabled' },
    ]);
    expect(await leaseOf(other.leaseId)).toMatchObject({ endedWhy: null });
  });
});

describe('the end of a token [PQRS-48]', () => {
  test('ends its leases, whose items are for others at once', async () => {
    const token = await instance.makeToken(projectId, ['agent:execute']);
    const { suite, held } = await claim({ commandIds: [await addCommand()] }, token.text);
    await instance.evidence.tokens.revoke(token.id, instance.evidence.clock());
    while ((await runOf(held[0]!.runId)).state !== 'lost') await Bun.sleep(5);
    expect(await leaseOf(suite.lease.id)).toMatchObject({ endedWhy: 'token' });
    expect((await claim({ planId: suite.planId })).suite.items).toMatchObject([{ attempt: 2 }]);
    expect((await write(held[0]!)).status).toBe(401);
  });
});

describe('a resumed lease [PQRS-48]', () => {
  test('is lost again when it is not renewed', async () => {
    // Its own instance: where other leases are due, all are looked at.
    const alone = await openInstance();
    const { token } = await alone.makeProject('default');
    const at = { token, at: alone };
    const opened = (await send('POST', '/run-state', { leaseMs: LEASE_MS }, at)).body;
    const { runId, lease } = opened as unknown as Held;
    const untilLost = async () => {
      alone.pass(LEASE_MS + 1);
      const shown = () => send('GET', `/run-state?runId=${runId}`, undefined, at);
      while ((await shown()).body.state !== 'lost') await Bun.sleep(20);
    };
    await untilLost();
    const { id, token: secret } = lease;
    const beat = { runId, attempt: 1, lease: { id, token: secret }, seq: 1 };
    const back = await send('POST', '/run-state', beat, at);
    expect(back).toMatchObject({ status: 200, body: { state: 'running' } });
    await untilLost();
    await alone.close();
  }, 60_000);
});

describe('time in which nobody was served [PQRS-48]', () => {
  test('a restart gives running leases their whole time again, and ends none', async () => {
    const dataDir = temporaryFolder('data');
    const first = await openInstance({}, { dataDir });
    const { token } = await first.makeProject('default');
    const made = await send('POST', '/run-state', { leaseMs: LEASE_MS }, { token, at: first });
    expect(made.status).toBe(201);
    const { runId, lease, leaseExpiresAt } = made.body as unknown as RunState & Held;
    await first.close();
    while (Date.now() <= Date.parse(leaseExpiresAt!)) await Bun.sleep(20);
    const second = await openInstance({}, { dataDir });
    await second.evidence.database.write(async () => {});
    const { id, token: secret } = lease;
    const [row] = await second.evidence.database.read.select().from(leases);
    expect(row).toMatchObject({ id, endedAt: null });
    expect(row!.expiresAt).toBeGreaterThan(Date.parse(leaseExpiresAt!));
    const beat = { runId, attempt: 1, lease: { id, token: secret }, seq: 1 };
    const answer = await send('POST', '/run-state', beat, { token, at: second });
    expect(answer).toMatchObject({ status: 200, body: { state: 'running', version: 2 } });
    await second.close();
  });
});

describe('whatever agents, owners and time do [PQRS-48] [PQRS-50]', () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('claim' as const),
      who: fc.nat(2),
      most: fc.integer({ min: 1, max: 2 }),
    }),
    fc.record({ do: fc.constant('write' as const), which: fc.nat(50), end: fc.boolean() }),
    fc.record({ do: fc.constant('report' as const), which: fc.nat(50), passes: fc.boolean() }),
    fc.record({ do: fc.constant('cancel' as const), which: fc.nat(50) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(400, 700, 1001) }),
  );

  test('each item has one holder at most, and one result that counts', async () => {
    const agents = [owner, owner, owner];
    for (const index of [1, 2])
      agents[index] = (await instance.makeToken(projectId, ['agent:execute'])).text;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const commandIds = [await addCommand(), await addCommand({ maxAttempts: 2 })];
        const submitted = { plan: { items: commandIds.map((commandId) => ({ commandId })) } };
        const planId = (await send('POST', '/agent/plan', submitted)).body.id as string;
        const all: Held[] = [];
        const accepted = new Map<number, string>();
        const ended = new Set<number>();
        for (const one of steps) {
          const held = 'which' in one ? all[one.which % Math.max(1, all.length)] : undefined;
          if (one.do === 'pass') await pass(one.ms);
          if (one.do === 'claim') {
            const { held: got } = await claim(
              { planId, maxItems: one.most },
              agents[one.who] as string,
            );
            for (const mine of got) expect(ended.has(mine.position)).toBe(false);
            all.push(...got);
          }
          if (held && one.do === 'write') {
            const { status, body } = await write(held, one.end ? { state: 'broken' } : {});
            expect([200, 409]).toContain(status);
            if (status === 200 && one.end) ended.add(held.position);
            const isNewest = all.findLast(({ position }) => position === held.position) === held;
            if (!isNewest) expect([status, body.code]).toEqual([409, 'lease_expired']);
          }
          if (held && one.do === 'report') {
            const { status, body } = await report(held, one.passes ? 'passed' : 'failed');
            expect([200, 201, 202]).toContain(status);
            if (status === 201) {
              expect(ended.has(held.position)).toBe(false);
              accepted.set(held.position, body.id as string);
              ended.add(held.position);
            }
          }
          if (held && one.do === 'cancel') {
            const { runId } = held;
            const answer = await send('POST', '/run-state', { runId, state: 'cancelled' });
            expect([200, 409]).toContain(answer.status);
            if (answer.status === 200 && answer.body.state === 'cancelled')
              ended.add(held.position);
          }
          const runs = (await send('GET', `/run-state?planId=${planId}&limit=200`)).body
            .items as (RunState & { position: number })[];
          for (const [position, own] of Map.groupBy(runs, (run) => run.position)) {
            const live = own.filter(({ state }) => state === 'queued' || state === 'running');
            expect(live.length).toBeLessThanOrEqual(1);
            if (ended.has(position)) expect(live).toEqual([]);
            const finished = own.filter(
              ({ state }) => !['queued', 'running', 'lost'].includes(state),
            );
            expect(finished.length).toBeLessThanOrEqual(1);
            // Only the newest attempt is held, or has ended the item.
            for (const run of [...live, ...finished]) expect(run.runId).toBe(own[0]!.runId);
            expect(own.map(({ attempt }) => attempt)).toEqual(own.map((_, at) => own.length - at));
          }
        }
        for (const [index, commandId] of commandIds.entries()) {
          const { items } = (await send('GET', `/test-runs?commandId=${commandId}`)).body as {
            items: { id: string; counts: boolean }[];
          };
          const counting = items.filter(({ counts }) => counts).map(({ id }) => id);
          const own = accepted.get(index + 1);
          expect(counting).toEqual(own === undefined ? [] : [own]);
        }
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});
