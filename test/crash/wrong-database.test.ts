// Starts with another database than that of the data folder: refused, with everything as it was, and
// all answers as before once the right one is back.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { type Client, openClient } from '../../scripts/bench/client.ts';
import {
  makeToken,
  removeFolders,
  startPqrs,
  temporaryFolder,
} from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { expectOneLine } from '../support/one-line.ts';
import { sqldMissing, startPrimary } from '../support/sqld.ts';

const STORIES = 100;
const missing = sqldMissing();
if (missing) console.log(`The tests of a libSQL server are skipped: ${missing}.`);

let executable: string;
let sources: string;
/** A data folder with 100 sources and an attachment, which each test leaves as it was. */
let dataDir: string;
let answers: unknown;

beforeAll(async () => {
  executable = await executablePath();
  sources = join(temporaryFolder(), 'sources');
  mkdirSync(sources);
  for (let n = 1; n <= STORIES; n++)
    writeFileSync(join(sources, `${n}.md`), `### US-${n}: Story ${n}\n\nAs a user, I want ${n}.\n`);
  dataDir = join(temporaryFolder(), 'data');
  answers = await fill(dataDir, {});
}, 120_000);

afterAll(removeFolders);

type Environment = Record<string, string>;

function run(command: string[], environment: Environment = {}, folder = dataDir) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [executable, ...command, '--data-dir', folder],
    { env: environment, timeout: 90_000 },
  );
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Makes an instance; gives what it answers. */
async function fill(folder: string, environment: Environment): Promise<unknown> {
  expect(run(['init'], environment, folder)).toMatchObject({ exitCode: 0 });
  expect(run(['import', sources], environment, folder)).toMatchObject({ exitCode: 0 });
  const server = await startPqrs(executable, environment, folder);
  const client = await openClient(server.port);
  const { token } = server;
  const json = { title: 'With a file' };
  const issue = { method: 'POST', path: '/api/issues', token, json };
  const { id } = await client.askJson<{ id: string }>(issue, 201);
  const path = `/api/issues/${id}/attachments`;
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': 'attachment; filename="a.bin"',
  };
  const { status } = await client.ask({
    method: 'POST',
    path,
    token,
    headers,
    body: Buffer.from('a'),
  });
  expect(status).toBe(201);
  const found = await ask(client, token);
  client.close();
  expect(await server.stop()).toBe(0);
  return found;
}

async function ask(client: Client, token: string): Promise<unknown> {
  const found: unknown[] = [];
  for (const path of [
    '/projects',
    '/issues',
    '/project-traceability',
    '/srs-graph',
    '/srs-source-audit',
  ]) {
    const { status, body } = await client.ask({ method: 'GET', path: `/api${path}`, token });
    expect(status, path).toBe(200);
    // Links are minted afresh, and a token's last use is written now and then.
    found.push(body.toString().replaceAll(/"(?:url|lastUsedAt)":"[^"]*"/g, ''));
  }
  const { items } = await client.askJson<{ items: { id: string }[] }>({
    method: 'GET',
    path: '/api/issues',
    token,
  });
  const { attachments } = await client.askJson<{ attachments: { url: string }[] }>({
    method: 'GET',
    path: `/api/issues?id=${items[0]?.id}`,
    token,
  });
  const file = await client.ask({ method: 'GET', path: attachments[0]?.url ?? '' });
  found.push(file.status, file.body.toString());
  return found;
}

/** Every file with a hash of its content, but the lock and the index of the log, which hold none. */
function contentOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^lock\.db|-shm$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.endsWith('-wal') || statSync(path).size > 0)
    .sort();
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(paths.map((path) => [path, hash(path)]));
}

const SERVE = ['serve', '--port', '0'];
const COMMANDS = [SERVE, ['init'], ['token', 'list'], ['serve', '--demo', '--port', '0']];

/** No command starts, and everything is as it was. */
function expectRefused(
  pattern: RegExp,
  environment: Environment = {},
  commands: readonly string[][] = [SERVE],
): void {
  const before = contentOf(dataDir);
  for (const command of commands) {
    const { exitCode, stdout, stderr } = run(command, environment);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expectOneLine(stderr, pattern);
  }
  expect(contentOf(dataDir)).toEqual(before);
}

async function expectAnswers(expected: unknown, environment: Environment = {}): Promise<void> {
  const files = readdirSync(join(dataDir, 'files'), { recursive: true }).length;
  const server = await startPqrs(executable, environment, dataDir);
  try {
    const client = await openClient(server.port);
    expect(await ask(client, server.token)).toEqual(expected);
    client.close();
  } finally {
    expect(await server.stop()).toBe(0);
  }
  expect(readdirSync(join(dataDir, 'files'), { recursive: true })).toHaveLength(files);
}

const database = () => join(dataDir, 'pqrs.db');

/** Another instance, with a project. */
function otherFolder(): string {
  const folder = join(temporaryFolder(), 'other');
  expect(run(['init'], {}, folder).exitCode).toBe(0);
  return folder;
}

function sql(statement: string, path = database()): void {
  const opened = new Database(path);
  opened.exec(statement);
  opened.close();
}

/** As an older version has left it. */
function forgetIds(folder = dataDir): void {
  for (const name of ['folder.id', 'files/folder.id', 'keys/folder.id']) rmSync(join(folder, name));
  sql("delete from instance where name = 'folder_id'", join(folder, 'pqrs.db'));
}

describe('beside 100 files [PQRS-84]', () => {
  const wrong: [string, () => void, RegExp][] = [
    ['that is missing', () => {}, /pqrs\.db is not there, and .* has files/],
    ['that is empty', () => writeFileSync(database(), ''), /pqrs\.db has no project/],
    ['without a project', () => sql('create table projects (id text) strict'), /has no project/],
    [
      'of another folder',
      () => cpSync(join(otherFolder(), 'pqrs.db'), database()),
      /pqrs\.db belongs to the data folder \S{36}, and \S+ is \S{36}: put the database of this/,
    ],
    [
      'of another folder of an older version',
      () => {
        const other = otherFolder();
        forgetIds(other);
        cpSync(join(other, 'pqrs.db'), database());
      },
      /pqrs\.db names 0 files/,
    ],
  ];
  test.each(wrong)(
    'a database %s is refused',
    async (_, put, pattern) => {
      const aside = join(dataDir, '..', 'aside.db');
      renameSync(database(), aside);
      put();
      expectRefused(pattern, {}, COMMANDS);
      rmSync(database(), { force: true });
      renameSync(aside, database());
      await expectAnswers(answers);
    },
    60_000,
  );

  test('a database that lies there with its log is not changed', async () => {
    const aside = join(dataDir, '..', 'aside.db');
    renameSync(database(), aside);
    const other = otherFolder();
    const server = await startPqrs(executable, {}, other);
    makeToken(executable, other, 'agent:execute');
    await server.kill();
    for (const name of ['pqrs.db', 'pqrs.db-wal']) cpSync(join(other, name), join(dataDir, name));
    const before = readFileSync(`${database()}-wal`);
    expect(before.byteLength).toBeGreaterThan(0);
    expect(run(['serve', '--port', '0'])).toMatchObject({ exitCode: 1, stdout: '' });
    expect(readFileSync(`${database()}-wal`).equals(before)).toBe(true);
    rmSync(`${database()}-wal`);
    renameSync(aside, database());
    await expectAnswers(answers);
  }, 120_000);

  test('keys of another folder are refused', async () => {
    const keys = join(dataDir, 'keys');
    renameSync(keys, `${dataDir}-keys`);
    cpSync(join(otherFolder(), 'keys'), keys, { recursive: true });
    expectRefused(/\/keys belongs to the data folder /);
    rmSync(keys, { recursive: true });
    renameSync(`${dataDir}-keys`, keys);
    await expectAnswers(answers);
  }, 120_000);

  test('a folder of files that is not mounted is refused, and one that is given up is not', async () => {
    const files = join(dataDir, 'files');
    renameSync(files, `${dataDir}-files`);
    mkdirSync(files);
    expectRefused(/names 10\d files, and \S+ has 0 of them/);
    cpSync(join(dataDir, 'folder.id'), join(files, 'folder.id'));
    expect(run(['token', 'list']).exitCode).toBe(0);
    rmSync(files, { recursive: true });
    renameSync(`${dataDir}-files`, files);
    await expectAnswers(answers);
  }, 120_000);

  test('an older version’s database is adopted where 95 % of its files are there', async () => {
    forgetIds();
    const stored = readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const away = join(dataDir, '..', 'away');
    mkdirSync(away);
    for (const [index, path] of stored.slice(0, 8).entries())
      renameSync(path, join(away, String(index)));
    expectRefused(/names 10\d files, and \S+ has 9\d of them/);
    expect(existsSync(join(dataDir, 'folder.id'))).toBe(false);
    for (const [index, path] of stored.slice(0, 4).entries())
      renameSync(join(away, String(index)), path);
    expect(run(['token', 'list']).exitCode).toBe(0);
    const id = readFileSync(join(dataDir, 'folder.id'), 'utf8');
    for (const part of ['files', 'keys'])
      expect(readFileSync(join(dataDir, part, 'folder.id'), 'utf8')).toBe(id);
    for (const [index, path] of stored.slice(4, 8).entries())
      renameSync(join(away, String(index + 4)), path);
    await expectAnswers(answers);
  }, 120_000);

  test('a missing database is refused where files and the token were taken away too', async () => {
    const names = ['pqrs.db', 'files', 'owner.token'];
    for (const name of names) renameSync(join(dataDir, name), `${dataDir}-${name}`);
    expectRefused(/pqrs\.db is not there, and .* has keys/);
    for (const name of names) renameSync(`${dataDir}-${name}`, join(dataDir, name));
    await expectAnswers(answers);
  });
});

describe.skipIf(missing !== undefined)('over a libSQL server [PQRS-89]', () => {
  test('an empty one is refused, and a folder that lacks the files', async () => {
    const original = dataDir;
    const [right, wrong] = await Promise.all([startPrimary(), startPrimary()]);
    const rightUrl = { PQRS_DATABASE_URL: right.url };
    dataDir = join(temporaryFolder(), randomUUID());
    const expected = await fill(dataDir, rightUrl);
    expectRefused(/PQRS_DATABASE_URL has no project, and .* has files/, {
      PQRS_DATABASE_URL: wrong.url,
    });
    expect(await tablesOf(wrong.url)).toEqual([]);
    expectRefused(/pqrs\.db is not there, and .* has files/);
    const own = dataDir;
    dataDir = join(temporaryFolder(), 'new');
    mkdirSync(dataDir);
    const refused = run(['init'], rightUrl);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expectOneLine(refused.stderr, /PQRS_DATABASE_URL names 10\d files, and \S+ has 0 of them/);
    expect(existsSync(join(dataDir, 'folder.id'))).toBe(false);
    dataDir = own;
    await expectAnswers(expected, rightUrl);
    // Nor does a file serve in place of the server.
    cpSync(join(original, 'pqrs.db'), database());
    expectRefused(/pqrs\.db belongs to the data folder /);
  }, 120_000);
});

async function tablesOf(url: string): Promise<unknown[]> {
  const stmt = { sql: 'select name from sqlite_schema' };
  const requests = [{ type: 'execute', stmt }, { type: 'close' }];
  const body = JSON.stringify({ requests });
  const answer = await fetch(`${url}/v3/pipeline`, { method: 'POST', body });
  const { results } = (await answer.json()) as {
    results: { response: { result: { rows: unknown[] } } }[];
  };
  return results[0]?.response.result.rows ?? ['?'];
}
