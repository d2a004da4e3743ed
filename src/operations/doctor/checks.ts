// What the doctor looks at: the database, the stored files, the folder itself and its keys. Each check gives
// the code, subject and detail of what it finds.
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULT_STATUSES } from '../../quality/reports/model.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import { verifyContent } from '../../store/files/io.ts';
import { filePath, walk } from '../../store/files/sweep.ts';
import { isGoodKey, kindOf } from '../../store/keys/key-record.ts';
import { kidOfSealed } from '../../store/keys/sealing-key.ts';
import { MIGRATIONS } from '../../store/migrations.ts';

const REPAIR = 'pqrs doctor --repair';
const RESTORE =
  'restore a backup (pqrs restore); what it lacks may be read from this database still';
const DERIVED = `${REPAIR} makes graphs, audits and catalogs again; put others back from a backup, or send them again`;
const KEYS = 'put it back from a backup of the keys, or run pqrs keys rotate';

/** How bad each is, and what to do. */
export const CODES = {
  database_missing: ['error', 'put it back, or restore a backup'],
  database_damaged: ['error', RESTORE],
  database_newer: ['error', 'use the version that last served this folder'],
  folder_identity: ['error', 'put together what belongs together'],
  migrations_pending: ['info', 'the next start applies it, after a copy is set aside'],
  foreign_key: ['error', RESTORE],
  counter_wrong: ['warning', 'report it: what it counts is sound'],
  search_wrong: ['warning', `${REPAIR} makes the index again`],
  file_damaged: ['error', DERIVED],
  file_missing: ['error', DERIVED],
  file_without_row: ['warning', `${REPAIR} moves it to files/trash, with --sweep however many`],
  file_unknown: ['info', 'move it elsewhere'],
  temporary_file: ['info', `${REPAIR} removes it`],
  key_missing: ['error', KEYS],
  key_damaged: ['error', KEYS],
  permissions: ['warning', `${REPAIR} sets it`],
  disk_low: ['error', 'make room, or lower PQRS_FREE_DISK_BYTES'],
  check_failed: ['error', 'mend what it says, and run it again'],
} as const satisfies Record<string, readonly ['error' | 'warning' | 'info', string]>;

export type Code = keyof typeof CODES;

export type Findings = AsyncGenerator<[code: Code, subject: string, detail: string]>;

export type Query = (sql: string) => Promise<unknown[][]>;

const MAX_ROWS = 100;

export async function* checkIntegrity(query: Query): Findings {
  for (const [text] of await query(`pragma integrity_check(${MAX_ROWS})`))
    for (const line of String(text).split('\n'))
      if (line !== 'ok' && !line.startsWith('*** in database'))
        yield ['database_damaged', 'database', line];
}

export async function* checkForeignKeys(query: Query): Findings {
  const sql = `select "table", rowid, parent from pragma_foreign_key_check limit ${MAX_ROWS}`;
  for (const [table, row, parent] of await query(sql))
    yield ['foreign_key', `${table} ${row}`, `it names a row of ${parent} that is not there`];
}

export async function* checkMigrations(query: Query): Findings {
  const rows = await query('select name from migrations');
  const applied = new Set(rows.map(([name]) => String(name)));
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  for (const name of applied.difference(known))
    yield ['database_newer', name, 'this version does not know it'];
  for (const name of known.difference(applied))
    yield ['migrations_pending', name, 'it is not applied yet, so rows are not checked'];
}

const INDEXES = { issues_text: 'issues', log_entries_text: 'log_entries' } as const;

/** Rows that are not in an index, but for those after its last one: they wait; and entries of no row. */
export async function* checkSearch(query: Query): Findings {
  for (const [index, table] of Object.entries(INDEXES)) {
    const indexed = `(select id from ${index}_docsize)`;
    const [counts] = await query(`select
      (select count(*) from ${table} where seq < (select max(id) from ${index}_docsize) and seq not in ${indexed}),
      (select count(*) from ${indexed} where id not in (select seq from ${table}))`);
    const [missing, extra] = (counts ?? []).map(Number);
    const detail = `${missing} rows are not in it, ${extra} of its entries have no row`;
    if (missing || extra) yield ['search_wrong', index, detail];
  }
}

const BY_STATUS = RESULT_STATUSES.map((status) => `sum(status = '${status}') ${status}`);
const COUNTED = ['count(*) tests', ...BY_STATUS, 'sum(flaky = 1) flaky'];
const TOTALS = ['tests', ...RESULT_STATUSES, 'flaky'];

const STORIES = 'select distinct value from json_each(issues.story_ids)';
const STORY_ROWS = 'select story_id from issue_stories where issue_id = issues.id';

const COUNTERS: Record<string, string> = {
  'projects.revision': `select id, revision, counted from (
    select id, revision, (select coalesce(max(number), 0) from revisions where project_id = projects.id) counted from projects)
    where revision <> counted`,
  'issues.occurrences': `select id, occurrences, counted from (
    select id, occurrences, 1 + (select count(*) from issues other where other.duplicate_of = issues.id) counted from issues)
    where occurrences <> counted`,
  issue_stories: `select id, (select count(*) from (${STORY_ROWS})), (select count(*) from (${STORIES})) from issues
    where exists (${STORIES} except ${STORY_ROWS}) or exists (${STORY_ROWS} except ${STORIES})`,
  log_groups: `select coalesce(g.fingerprint, e.fingerprint), coalesce(g.occurrences, 0), coalesce(e.counted, 0)
    from log_groups g full join (select project_id, fingerprint, count(*) counted from log_entries group by 1, 2) e
    on e.project_id = g.project_id and e.fingerprint = g.fingerprint
    where g.occurrences is not e.counted`,
  'plan_items.attempts': `select seq, attempts, counted from (
    select seq, attempts, (select count(*) from run_states where run_states.plan_id = plan_items.plan_id and run_states.position = plan_items.position) counted from plan_items)
    where attempts <> counted`,
  'test_runs.totals': `select id, totals, coalesce(tests, 0) || ' results' from test_runs
    left join (select seq / ${BATCH_SPAN} of_batch, ${COUNTED.join()} from test_results group by 1) on of_batch = batch
    where ${TOTALS.map((name) => `json_extract(totals, '$.${name}') is not coalesce(${name}, 0)`).join(' or ')}`,
  'run_batches.sequence': `select 'run_batches', seq, counted from (
    select coalesce((select seq from sqlite_sequence where name = 'run_batches'), 0) seq, coalesce((select max(batch) from test_runs), 0) counted)
    where seq < counted`,
};

export async function* checkCounters(query: Query): Findings {
  for (const [name, sql] of Object.entries(COUNTERS))
    for (const [key, stored, counted] of await query(sql))
      yield ['counter_wrong', `${name} ${key}`, `it is ${stored}, and ${counted} are there`];
}

const YOUNG_MS = 24 * 3600 * 1000;

const NAMED = `
  with revision as (select r.*, ' of revision ' || number || ' of ' || slug as place
    from revisions r join projects p on p.id = r.project_id)
  select sha256, 'attachment ' || id from attachments
  union all select sha256, 'source ' || path || place
    from revision_sources s join revision on revision.seq = revision_seq
  union all select graph_sha256, 'graph' || place from revision
  union all select audit_sha256, 'audit' || place from revision
  union all select catalog_sha256, 'catalog' || place from revision where catalog_sha256 is not null`;

/**
 * Reads every file.
 * @param root - the folder of files
 * @param query - undefined where the rows cannot be read: orphans are not looked for then
 */
export async function* checkFiles(root: string, now: number, query: Query | undefined): Findings {
  const named = query && (await readNamed(query));
  const missing = new Set(named?.keys());
  for await (const { path, sha256 } of walk(root)) {
    const subject = `files/${path}`;
    if (sha256 === undefined) {
      yield ['file_unknown', subject, 'pqrs did not store it'];
      continue;
    }
    missing.delete(sha256);
    const what = named?.get(sha256);
    if (named && what === undefined) {
      const about = await stat(join(root, path)).catch(() => undefined);
      if (about && now - Math.max(about.mtimeMs, about.ctimeMs) > YOUNG_MS)
        yield ['file_without_row', subject, 'no row names it'];
      continue;
    }
    const state = await verifyContent(join(root, path), sha256).catch(
      (error: Error) => error.message,
    );
    if (state !== 'ok' && state !== 'missing')
      yield ['file_damaged', subject, `${what ?? 'a file'}: ${state}`];
  }
  // What was removed meanwhile has no row any more.
  const still = query && missing.size > 0 ? await readNamed(query) : new Map<string, string>();
  for (const sha256 of missing) {
    const path = filePath(root, sha256);
    const what = still.get(sha256);
    if (what !== undefined && !existsSync(path))
      yield ['file_missing', `files/${path.slice(root.length + 1)}`, what];
  }
}

async function readNamed(query: Query): Promise<Map<string, string>> {
  const rows = await query(NAMED);
  return new Map(rows.map(([sha256, what]) => [String(sha256), String(what)]));
}

const STALE_MS = 3600 * 1000;

export async function* checkFolder(dataDir: string, now: number, path = ''): Findings {
  const about = await lstat(join(dataDir, path)).catch(() => undefined);
  if (!about || about.isSymbolicLink()) return;
  const mode = about.mode & 0o777;
  const wanted = modeOf(about.isDirectory());
  if (mode !== wanted && (mode & 0o077 || (mode & wanted) !== wanted)) {
    const detail = `its mode is ${mode.toString(8)}, and should be ${wanted.toString(8)}`;
    yield ['permissions', path || '.', detail];
  }
  const isTemporary = path.endsWith('.tmp') || path.startsWith('files/tmp/');
  if (about.isFile() && isTemporary && now - about.mtimeMs > STALE_MS)
    yield ['temporary_file', path, 'a write was broken off'];
  if (!about.isDirectory()) return;
  for (const name of await readdir(join(dataDir, path)).catch(() => []))
    if (join(path, name) !== '.native') yield* checkFolder(dataDir, now, join(path, name));
}

export function modeOf(isFolder: boolean): number {
  return isFolder ? 0o700 : 0o600;
}

export async function* checkDisk(dataDir: string, floorBytes: number): Findings {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free < floorBytes)
    yield ['disk_low', '.', `${free} bytes are free, the floor is ${floorBytes}`];
}

/**
 * Reads every key that is there, or that the instance had.
 * @param query - undefined where the rows cannot be read: which keys there were is not known then
 */
export async function* checkKeys(folder: string, query: Query = async () => []): Findings {
  const there = (await readdir(folder).catch(() => [])).filter(
    (name) => kindOf(name) !== undefined,
  );
  // The SHA-256 of each key file that the instance has; see key-record.ts.
  const records = await query(
    "select substr(name, 5), value from instance where name like 'key:%'",
  );
  const recorded = new Map(records.map(([name, sha256]) => [String(name), String(sha256)]));
  const heads = await query('select substr(sealed, 1, 64) from credentials');
  const sealed = new Set(
    heads.map(([head]) => `seal-${kidOfSealed(Buffer.from(head as Uint8Array))}.key`),
  );
  const names = new Set([...there, ...recorded.keys(), ...sealed]);
  // Every start makes one where there never was any.
  if (![...names].some((name) => name.startsWith('sign-'))) names.add('sign-*.key');
  for (const name of [...names].sort()) {
    const effect = sealed.has(name) ? '; credentials are sealed under it' : '';
    if (!there.includes(name)) {
      yield ['key_missing', `keys/${name}`, `it is not there${effect}`];
      continue;
    }
    const bytes = await readFile(join(folder, name)).catch(() => new Uint8Array());
    if (!isGoodKey(kindOf(name) ?? 'sign', bytes, recorded.get(name)))
      yield ['key_damaged', `keys/${name}`, `it is not the key that it was, or none${effect}`];
  }
}
