// A data folder of the first version, its schema that of the first migration alone: it opens, and all
// of it is listed, found and downloaded as before.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { mintToken } from '../../src/access/tokens.ts';
import { newId } from '../../src/store/ids.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ISSUES = 300;
const FIRST = readFileSync(join(import.meta.dir, '../../drizzle/0001_foundation.sql'), 'utf8');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const owner = mintToken();
const dataDir = temporaryFolder('first-version');
let instance: Instance;

/** Every tenth issue is a duplicate, every third is resolved; each has a file. */
function writeFirstVersion(): void {
  const database = new Database(join(dataDir, 'pqrs.db'));
  database.exec(
    'create table migrations (name text primary key, applied_at integer not null) strict',
  );
  database.exec(FIRST);
  const insert = (table: string, row: Record<string, string | number | null>): void => {
    const values = Object.values(row).map((one) => (typeof one === 'number' ? BigInt(one) : one));
    const sql = `insert into ${table} (${Object.keys(row)}) values (${values.map(() => '?')})`;
    database.prepare(sql).run(values);
  };
  const at = 1_760_000_000_000;
  const [projectId, tokenId] = [newId('prj'), owner.id];
  insert('migrations', { name: '0001_foundation', applied_at: at });
  insert('projects', {
    ...{ id: projectId, slug: 'default', name: 'Default', description: '', settings: '{}' },
    ...{ created_at: at, updated_at: at },
  });
  insert('tokens', {
    ...{ id: tokenId, project_id: projectId, secret_hash: sha256(owner.secret) },
    ...{ capabilities: '["project:owner"]', label: 'owner', instance: 1, created_at: at },
  });
  database.exec('begin');
  let first = '';
  for (let number = 1; number <= ISSUES; number++) {
    const id = newId('iss');
    first ||= id;
    const duplicate = number % 10 === 0;
    const status = duplicate ? 'closed' : number % 3 === 0 ? 'resolved' : 'open';
    const title = `Broken widget ${number}`;
    insert('issues', {
      ...{ id, project_id: projectId, number, title, description: 'as seen', status },
      ...{ severity: 'major', resolution: status === 'open' ? null : 'fixed' },
      ...{ duplicate_of: duplicate ? first : null, story_ids: '[]', labels: '[]' },
      ...{ occurred_at: at, author_token: tokenId, created_at: at, updated_at: at },
    });
    insert('issues_text', {
      ...{ rowid: number, title, description: 'as seen' },
      scope: `p1 s${status}${duplicate ? '' : ' original'}`,
    });
    const content = `file ${number}`;
    const hash = sha256(content);
    const folder = join(dataDir, 'files', hash.slice(0, 2), hash.slice(2, 4));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, hash), content);
    insert('attachments', {
      ...{ id: newId('att'), key: randomBytes(26).toString('hex'), project_id: projectId },
      ...{ issue_id: id, name: `${number}.txt`, kind: 'log', media_type: 'text/plain' },
      ...{ bytes: content.length, sha256: hash, author_token: tokenId, created_at: at },
    });
  }
  database.exec('commit');
  database.close();
}

beforeAll(async () => {
  writeFirstVersion();
  instance = await openInstance({}, { dataDir });
});

afterAll(() => instance.close());

interface Page {
  items: { number: number; status: string; attachments: { name: string; url: string }[] }[];
  nextCursor: string | null;
}

async function all(query: string): Promise<Page['items']> {
  const found: Page['items'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/issues?limit=100&${query}${more}`;
    const answer = await instance.fetch(path, { token: owner.text });
    expect(answer.status).toBe(200);
    const page = (await answer.json()) as Page;
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}

test('lists have all issues but duplicates', async () => {
  const issues = await all('');
  expect(issues.map(({ number }) => number)).toEqual(
    Array.from({ length: ISSUES }, (_, at) => ISSUES - at).filter((number) => number % 10 !== 0),
  );
});

test('searches find what they found before', async () => {
  expect(await all('q=broken')).toHaveLength(270);
  expect(await all('q=broken&status=resolved')).toHaveLength(90);
  expect((await all('q="widget 7"')).map(({ number }) => number)).toEqual([7]);
});

test('files open', async () => {
  const issues = await all('');
  for (const { number, attachments } of issues.slice(0, 20)) {
    const answer = await instance.fetch(attachments[0]?.url ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, `file ${number}`]);
  }
});
