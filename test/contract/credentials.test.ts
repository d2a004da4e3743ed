// Credentials of commands: who may set what, and that a secret that came in is nowhere to be seen.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { leaseCredentials } from '../../src/agents/credentials.ts';
import { getCommand } from '../../src/quality/commands/rows.ts';
import { leases } from '../../src/store/tables/agents.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import type { Command } from '../support/shapes.ts';

const NEEDS = { needs: ['agent', 'srs', 'demo'] } as const;
const AGENT = { as: 'agent' } as const;

/** A name for a variable that no other run has. */
const nameOf = (api: Client, name = 'C') => `${name}_${api.unique}`;

async function register(api: Client, over: object = {}): Promise<Command> {
  const name = nameOf(api);
  const body = { key: `c-${api.unique}`, argv: ['true'], credentials: [name], ...over };
  return (await api.post('/test-commands', body)).must(201).json<Command>();
}

describe('credentials and secrets [PQRS-40]', () => {
  flow('are fields of an owner, whatever else the body holds', NEEDS, async (api) => {
    const { id, version } = await register(api);
    for (const [field, value] of [
      ['credentials', []],
      ['credentials', 7],
      ['secrets', {}],
      ['secrets', 'nonsense'],
    ] as const) {
      for (const rest of [{ key: `other-${api.unique}`, argv: ['true'] }, { nonsense: true }]) {
        const made = await api.post('/test-commands', { ...rest, [field]: value }, AGENT);
        made.mustBe(403, 'forbidden');
        expect(made.text).toContain(`"pointer":"/${field}"`);
        expect(made.text).not.toContain('nonsense');
        expect(made.header('www-authenticate')).toBe(
          'Bearer realm="pqrs", error="insufficient_scope", scope="project:owner"',
        );
      }
      const named = { id, [field]: value };
      (await api.patch('/test-commands', named, AGENT)).mustBe(403, 'forbidden');
      const absent = { id: `cmd_${'0'.repeat(26)}`, [field]: value };
      (await api.patch('/test-commands', absent, AGENT)).mustBe(403, 'forbidden');
    }
    const after = (await api.get('/test-commands', { query: { id } })).json<Command>();
    expect(after).toMatchObject({ version, credentials: [nameOf(api)] });
  });

  flow('what runs with them, and whether, only an owner changes', NEEDS, async (api) => {
    const { id, version } = await register(api);
    const until = '2999-01-31T12:00:00.000Z';
    for (const patch of [
      { kind: 'bun-test' },
      { argv: ['curl', 'https://elsewhere.example'] },
      { cwd: '/elsewhere' },
      { env: { LD_PRELOAD: 'x' } },
      { report: { format: 'tap', path: 'x' } },
      { state: 'disabled' },
      { quarantine: { owner: 'a', reason: 'b', until }, state: 'quarantined' },
    ]) {
      const answer = await api.patch('/test-commands', { id, ...patch }, AGENT);
      answer.mustBe(403, 'forbidden');
      expect(answer.text).toContain(`"pointer":"/${Object.keys(patch)[0]}"`);
    }
    const open = { id, tags: ['nightly'], timeoutMs: 1000, storyIds: ['US-1'] };
    (await api.patch('/test-commands', open, AGENT)).must(200);
    (await api.patch('/test-commands', { id, argv: ['false'] })).must(200);
    (await api.patch('/test-commands', { id, credentials: [] })).must(200);
    const freed = await api.patch('/test-commands', { id, argv: ['true'] }, AGENT);
    expect(freed.must(200).json<Command>().version).toBe(version + 4);
  });

  flow('a secret is in no answer, and its replay says the same', NEEDS, async (api) => {
    const secret = `canary-${api.unique}`;
    const name = nameOf(api);
    const body = {
      ...{ key: `c-${api.unique}`, argv: ['true'], credentials: [name] },
      secrets: { [name]: secret },
    };
    const headers = { 'idempotency-key': `secret ${api.unique}` };
    const made = (await api.post('/test-commands', body, { headers })).must(201);
    const again = (await api.post('/test-commands', body, { headers })).must(201);
    expect(again.text).toBe(made.text);
    const { id } = made.json<Command>();
    const texts = [made.text];
    for (const as of ['owner', 'agent', 'srs', 'demo'] as const) {
      texts.push((await api.get('/test-commands', { query: { id }, as })).must(200).text);
      const page = await api.get('/test-commands', { query: { credentials: name }, as });
      texts.push(page.must(200).text);
    }
    const patched = await api.patch('/test-commands', { id, secrets: { [name]: `${secret}2` } });
    texts.push(patched.must(200).text);
    expect(patched.json<Command>().version).toBe(1);
    const wrong: object[] = [
      { id, secrets: { [name]: secret, [nameOf(api, 'D')]: secret } },
      { id, secrets: { [name]: [secret] } },
      { id, secrets: { [name]: { value: secret } } },
      { id, secrets: [secret] },
      { id, secrets: secret },
      { id, secrets: { [name]: secret.padEnd(65_537, 'x') } },
      { id, credentials: [`${secret} `], secrets: { [name]: secret } },
    ];
    for (const patch of wrong)
      texts.push((await api.patch('/test-commands', patch)).mustBe(422, 'invalid').text);
    const removed = await api.patch('/test-commands', { id, secrets: { [name]: null } });
    texts.push(removed.must(200).text);
    for (const text of texts) expect(text).not.toContain(secret);
  });
});

/** Every file below a folder that may hold what came in. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

describe('a secret that came in [PQRS-40]', () => {
  test('stands in the clear in no file of the data folder, and in no line of the log', async () => {
    const instance = await openInstance();
    const { id: projectId, token } = await instance.makeProject('default');
    const { evidence } = instance;
    const secret = 'canary-in-a-secret-0123456789';
    const send = async (method: string, body: object, headers: Record<string, string> = {}) => {
      const init = { method, token, body: JSON.stringify(body) };
      const all = { 'content-type': 'application/json', ...headers };
      return instance.fetch('/api/test-commands', { ...init, headers: all });
    };
    const command = { key: 'k', argv: ['true'], credentials: ['PASSWORD', 'OTHER'] };
    const keyed = { 'idempotency-key': 'a-key' };
    const body = { ...command, secrets: { PASSWORD: secret, OTHER: 'another-canary' } };
    const made = await send('POST', body, keyed);
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as Command;
    expect((await send('POST', body, keyed)).status).toBe(201);
    expect((await send('POST', { ...body, key: 'x' }, keyed)).status).toBe(422);
    expect((await send('POST', body)).status).toBe(409);
    expect((await send('PATCH', { id, secrets: { PASSWORD: `${secret}!` } })).status).toBe(200);
    expect((await send('PATCH', { id, secrets: { PASSWORD: [secret] } })).status).toBe(422);
    const lent = await evidence.database.write(async (db) => {
      const times = { createdAt: 1, expiresAt: 2, leaseMs: 1 };
      const lease = { id: 'lse_1', projectId, tokenId: 'tok_1', secretSha256: 'x', ...times };
      await db.insert(leases).values(lease);
      const commands = [await getCommand(db, projectId, id)];
      const loan = { projectId, leaseId: 'lse_1', commands, tokenId: 'tok_1', now: 1 };
      return leaseCredentials(evidence, db, { ...loan, expiresAt: 2 });
    });
    expect(lent).toEqual({ PASSWORD: `${secret}!`, OTHER: 'another-canary' });

    // A write that fails in the database names its parameters in the error.
    await evidence.database.write((db) => db.run('alter table credentials rename to elsewhere'));
    const failed = await send('PATCH', { id, secrets: { OTHER: secret } });
    expect(failed.status).toBe(500);
    const told = await failed.text();
    await evidence.database.write((db) => db.run('alter table elsewhere rename to credentials'));

    const files = filesBelow(evidence.config.dataDir);
    expect(files.some((path) => path.endsWith('pqrs.db-wal'))).toBe(true);
    const contents = files.map((path) => [path, readFileSync(path)] as const);
    await instance.close();
    contents.push(
      ...filesBelow(evidence.config.dataDir).map((path) => [path, readFileSync(path)] as const),
    );
    for (const [path, bytes] of contents)
      for (const hidden of ['canary-in-a-secret', 'another-canary'])
        expect(bytes.includes(hidden), path).toBe(false);
    expect(instance.logged()).toContain('a request failed');
    expect(instance.logged()).not.toContain('canary');
    expect(told).not.toContain('canary');
  });
});
