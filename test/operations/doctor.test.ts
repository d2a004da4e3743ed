// The doctor: every kind of damage is found, what it says it mends is mended, and a healthy folder has
// nothing wrong.
import { beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'libsql';
import { runDoctor } from '../../src/operations/doctor/doctor.ts';
import { overwritePage, pagesInUse, seeded } from '../support/damage.ts';
import {
  contentsIn,
  copyOf,
  type Doctored,
  execute,
  findingsIn,
  makeDoctored,
} from '../support/doctored-folder.ts';
import { openInstance } from '../support/instance.ts';
import { lostOf } from '../support/keyed-instance.ts';

let doctored: Doctored;

beforeAll(async () => {
  doctored = await makeDoctored();
});

const codesIn = async (dataDir: string) => [
  ...new Set((await findingsIn(dataDir)).map(({ code }) => code as string)),
];

test('a healthy folder has nothing wrong, open or closed [PQRS-91]', async () => {
  expect(await findingsIn(doctored.dataDir)).toEqual([]);
  const instance = await openInstance({}, { dataDir: copyOf(doctored) });
  expect(await runDoctor(instance.evidence, { repair: true })).toEqual({
    repairs: [],
    findings: [],
  });
  await instance.close();
});

type Harm = (dataDir: string) => void;

const sql =
  (...statements: string[]): Harm =>
  (dataDir) =>
    execute(dataDir, ...statements);

describe('what is mended [PQRS-91]', () => {
  const unknownEntry = `insert into log_entries_text (rowid, message) values (99999, 'gone')`;
  test.each<[string, string, Harm]>([
    ['search_wrong', 'issue not indexed', sql('delete from issues_text where rowid = 5')],
    ['search_wrong', 'entry of no row', sql(unknownEntry)],
    ['permissions', 'folder', (dataDir) => chmodSync(dataDir, 0o755)],
    ['permissions', 'file', (dataDir) => chmodSync(contentsIn(dataDir)[0] ?? '', 0o644)],
    ['permissions', 'keys', (dataDir) => chmodSync(join(dataDir, 'keys'), 0o711)],
  ])('%s: %s', async (code, _, harm) => {
    const dataDir = copyOf(doctored);
    harm(dataDir);
    expect(await codesIn(dataDir)).toEqual([code]);
    const instance = await openInstance({}, { dataDir });
    const { repairs, findings } = await runDoctor(instance.evidence, { repair: true });
    expect(findings).toEqual([]);
    if (code !== 'permissions') expect(repairs.map((one) => one.code as string)).toContain(code);
    expect(await lostOf(instance, doctored.keyed)).toEqual([]);
    await instance.close();
    expect(await findingsIn(dataDir)).toEqual([]);
  });
});

const DAY_MS = 24 * 3600 * 1000;

/** Puts files into the store that no row names. */
function addOrphans(dataDir: string, count: number): void {
  const folder = dirname(contentsIn(dataDir)[0] ?? '');
  const start = basename(dirname(folder)) + basename(folder);
  for (let at = 0; at < count; at += 1)
    writeFileSync(join(folder, start + String(at).padStart(60, '0')), 'nobody', { mode: 0o600 });
}

describe('files [PQRS-91]', () => {
  test('that no row names go to the trash once they are a day old', async () => {
    const dataDir = copyOf(doctored);
    addOrphans(dataDir, 3);
    expect(await findingsIn(dataDir)).toEqual([]);
    const later = await findingsIn(dataDir, Date.now() + 2 * DAY_MS);
    expect(later.map(({ code }) => code as string)).toEqual(Array(3).fill('file_without_row'));
    const before = contentsIn(dataDir).length;
    const instance = await openInstance({}, { dataDir });
    instance.pass(2 * DAY_MS);
    const { repairs, findings } = await runDoctor(instance.evidence, { repair: true });
    expect(repairs).toHaveLength(1);
    expect(findings).toEqual([]);
    await instance.close();
    expect(contentsIn(dataDir)).toHaveLength(before);
  });

  test('that are many stay until they are to be swept', async () => {
    const dataDir = copyOf(doctored);
    addOrphans(dataDir, 101);
    const instance = await openInstance({}, { dataDir });
    instance.pass(2 * DAY_MS);
    const stopped = await runDoctor(instance.evidence, { repair: true });
    expect(stopped.findings).toHaveLength(101);
    const swept = await runDoctor(instance.evidence, { repair: true, sweep: true });
    expect(swept.findings).toEqual([]);
    expect(instance.evidence.faults.list().size).toBe(0);
    await instance.close();
  });

  test('that can be made again of the sources are', async () => {
    const dataDir = copyOf(doctored);
    const derived = derivedOf(dataDir);
    expect(derived.length).toBeGreaterThan(1);
    for (const path of derived.slice(1)) truncateSync(path, 10);
    rmSync(derived[0] ?? '');
    const found = (await findingsIn(dataDir)).map(({ code }) => code as string);
    expect(found.sort()).toEqual([...derived.slice(1).map(() => 'file_damaged'), 'file_missing']);
    const instance = await openInstance({}, { dataDir });
    const { repairs, findings } = await runDoctor(instance.evidence, { repair: true });
    expect(repairs).toHaveLength(derived.length);
    expect(findings).toEqual([]);
    await instance.close();
  });
});

function derivedOf(dataDir: string): string[] {
  const database = new Database(join(dataDir, 'pqrs.db'));
  const rows = database
    .prepare('select graph_sha256 g, audit_sha256 a, catalog_sha256 c from revisions')
    .all() as Record<string, string>[];
  database.close();
  const names = new Set(rows.flatMap((row) => Object.values(row)));
  return contentsIn(dataDir).filter((path) => names.has(basename(path)));
}

describe('what is found [PQRS-91]', () => {
  const COUNTERS = [
    'update projects set revision = 7',
    'update issues set occurrences = 9 where number < 4',
    'delete from issue_stories',
    'update log_groups set occurrences = 1',
    'delete from log_groups where seq = (select max(seq) from log_groups)',
    'update plan_items set attempts = 0',
    "update test_runs set totals = json_set(totals, '$.failed', 5)",
    'update sqlite_sequence set seq = 0',
  ];
  const otherFolder = `update instance set value = '${randomUUID()}' where name = 'folder_id'`;
  const noIssue = `update attachments set issue_id = 'iss_none'`;
  const database = (dataDir: string) => join(dataDir, 'pqrs.db');
  const noKey =
    (start: string): Harm =>
    (dataDir) =>
      rmSync(keyOf(dataDir, start));
  const isNone: Harm = (dataDir) =>
    writeFileSync(keyOf(dataDir, 'bundle'), 'none', { mode: 0o600 });

  test.each<[string, string, Harm]>([
    ['database_missing', 'none', (dataDir) => rmSync(database(dataDir))],
    ['database_damaged', 'another file', (dir) => writeFileSync(database(dir), 'x'.repeat(9000))],
    ['database_newer', 'migration', sql(`insert into migrations values ('9999_later', 1)`)],
    ['folder_identity', 'another folder', sql(otherFolder)],
    ['foreign_key', 'a row that names none', sql('pragma foreign_keys = off', noIssue)],
    ...COUNTERS.map((one): [string, string, Harm] => ['counter_wrong', one, sql(one)]),
    ['key_missing', 'signing', noKey('sign-')],
    ['key_missing', 'sealing', noKey('seal-')],
    ['key_missing', 'bundle', noKey('bundle')],
    ['key_damaged', 'another', (dir) => writeFileSync(keyOf(dir, 'sign-'), Buffer.alloc(32))],
    ['key_damaged', 'cut', (dataDir) => truncateSync(keyOf(dataDir, 'sign-'), 31)],
    ['key_damaged', 'bundle that is none', isNone],
  ])('%s: %s', async (code, _, harm) => {
    const dataDir = copyOf(doctored);
    harm(dataDir);
    expect(await codesIn(dataDir)).toEqual([code]);
  });

  test('20 files of files/ that are cut, and one that is gone, each by its path and what names it', async () => {
    const dataDir = copyOf(doctored);
    const all = contentsIn(dataDir);
    const [gone = '', ...cut] = all.slice(0, 21);
    for (const path of cut) truncateSync(path, statSync(path).size - 1);
    rmSync(gone);
    const findings = await findingsIn(dataDir);
    const subjects = (code: string) =>
      findings.filter((one) => one.code === code).map((one) => one.subject);
    expect(subjects('file_damaged').sort()).toEqual(
      cut.map((path) => path.slice(dataDir.length + 1)),
    );
    expect(subjects('file_missing')).toEqual([gone.slice(dataDir.length + 1)]);
    expect(
      findings.every(({ detail }) => /attachment|source|graph|audit|catalog/.test(detail)),
    ).toBe(true);
  });

  test('20 pages in use that are overwritten, one at a time', async () => {
    const dataDir = copyOf(doctored);
    const path = join(dataDir, 'pqrs.db');
    const pages = pagesInUse(path);
    const random = seeded(20);
    for (let round = 0; round < 20; round += 1) {
      const page = pages[random(pages.length)] ?? 1;
      const putBack = overwritePage(path, page);
      expect(await codesIn(dataDir), `page ${page}`).toContain('database_damaged');
      for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
      putBack();
    }
    expect(await findingsIn(dataDir)).toEqual([]);
  }, 60_000);
});

function keyOf(dataDir: string, start: string): string {
  const keys = join(dataDir, 'keys');
  const name = readdirSync(keys).find((one) => one.startsWith(start));
  if (!name) throw new Error(`there is no key ${start}`);
  return join(keys, name);
}
