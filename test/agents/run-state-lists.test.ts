// Lists of the state of runs among many: whatever the filters, in pages, the same as all of them looked
// at one by one.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { listRunStates } from '../../src/agents/runs/lists.ts';
import { RUN_STATES } from '../../src/agents/runs/states.ts';
import { runStates } from '../../src/store/tables/agents.ts';
import { type Instance, openInstance } from '../support/instance.ts';

const RUNS = 500;
let instance: Instance;
let projectId: string;

beforeAll(async () => {
  instance = await openInstance();
  ({ id: projectId } = await instance.makeProject('default'));
  const other = await instance.makeProject('other');
  await instance.evidence.database.write(async (db) => {
    await db.run(sql`pragma defer_foreign_keys = 1`);
    for (const id of ['c0', 'c1', 'c2'])
      await db.run(sql`insert into test_commands (id, project_id, key, name, kind, argv, env, timeout_ms, report, story_ids, routes, tags, credentials, on_lease_lost, max_attempts, state, fingerprint, author_token, created_at, updated_at)
        values (${id}, ${projectId}, ${id}, 'n', 'shell', '[]', '{}', 1, '{}', '[]', '[]', '[]', '[]', 'retry', 3, 'active', 'f', 't', 1, 1)`);
    await db.run(sql`insert into leases (id, project_id, token_id, secret_sha256, lease_ms, created_at, expires_at)
      values ('l', ${projectId}, 't', 'x', 1000, 1, 1)`);
    for (const id of ['p0', 'p1'])
      await db.run(sql`insert into plans (id, project_id, revision, origin, request, answer, author_token, created_at)
        values (${id}, ${projectId}, 1, 'suite', '{}', '{}', 't', 1)`);
    for (const id of ['s0', 's1', 's2', 's3'])
      await db.run(sql`insert into suites (id, project_id, lease_id, agent, author_token, created_at)
        values (${id}, ${projectId}, 'l', '{}', 't', 1)`);
    for (let number = 0; number < RUNS; number++) {
      await db.insert(runStates).values({
        id: `run_${number}`,
        projectId: number % 11 === 0 ? other.id : projectId,
        suiteId: number % 5 === 4 ? null : `s${number % 5}`,
        leaseId: 'l',
        attempt: 1,
        planId: number % 3 === 2 ? null : `p${number % 3}`,
        position: number,
        commandId: number % 4 === 3 ? null : `c${number % 4}`,
        stateSeq: 0,
        pins: {},
        state: RUN_STATES[(number * 7) % 6] as string,
        change: number,
        revision: 1,
        overlayClock: 0,
        authorToken: 't',
        createdAt: 1,
        updatedAt: 1,
      });
    }
  });
});
afterAll(() => instance.close());

const some = <T>(...values: T[]) =>
  fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), {
    nil: undefined,
  });

test('are those that fit, the newest first, in pages of any length [PQRS-47]', async () => {
  const { read } = instance.evidence.database;
  const all = await read.select().from(runStates);
  const filters = fc.record({
    state: some(...RUN_STATES),
    suiteId: some('s0', 's1', 's2', 'none'),
    planId: some('p0', 'p1', 'none'),
    commandId: some('c0', 'c1', 'c2'),
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (asked, limit) => {
      const fits = all
        .filter((run) => run.projectId === projectId)
        .filter((run) =>
          (['state', 'suiteId', 'planId', 'commandId'] as const).every(
            (name) => (asked[name] as string[] | undefined)?.includes(run[name] ?? '') ?? true,
          ),
        )
        .map(({ id }) => id)
        .reverse();
      const listed: string[] = [];
      for (let behind: number | undefined; ; ) {
        const rows = await listRunStates(read, projectId, asked, behind, limit);
        expect(rows.length).toBeLessThanOrEqual(limit + 1);
        listed.push(...rows.slice(0, limit).map(({ run }) => run.id));
        if (rows.length <= limit) break;
        behind = rows[limit - 1]?.run.seq;
      }
      expect(listed).toEqual(fits);
    }),
  );
});
