// What recording a report is measured against: its bytes through saxes, and the same rows put into
// the same tables by prepared statements in one transaction. A process of its own, as cold as the
// service is; the rows are made before.

import Database from 'libsql';
import { SaxesParser } from 'saxes';
import { readReport } from '../../src/quality/reports/read.ts';
import { openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { CASES, reportChunks } from './report-file.ts';

const SPAN = 131_072;

/** Milliseconds for a report of tests that are new, and for the same again. */
export async function bareReport(folder: string): Promise<{ fresh: number; again: number }> {
  const path = `${folder}/bare.db`;
  const location = { path, backups: `${folder}/set-aside` };
  const opened = await openDatabase({ location, writesPerCommit: 1, migrations: MIGRATIONS });
  await opened.close();
  const database = new Database(path);
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'cache_size = -8192'])
    database.exec(`pragma ${pragma}`);
  const chunks = [...reportChunks(CASES)];
  const rows = await rowsOf(chunks);
  const record = (batch: number) => {
    const began = performance.now();
    parse(chunks);
    insert(database, rows, batch);
    return performance.now() - began;
  };
  const times = { fresh: record(1), again: record(2) };
  database.close();
  return times;
}

interface Row {
  test: unknown[];
  result: unknown[];
}

async function rowsOf(chunks: readonly Uint8Array[]): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const part of readReport(chunks, { format: 'junit' })) {
    if (part.type === 'summary') continue;
    for (const { testKey, name, path, file, line, ...result } of part.results) {
      const { status, durationMs, storyIds, message, trace } = result;
      const named = storyIds.length > 0 ? JSON.stringify(storyIds) : null;
      rows.push({
        test: ['prj_bench', testKey, name, JSON.stringify(path), file, line, null],
        result: [status, durationMs, 0, line, null, named, message, trace, null],
      });
    }
  }
  return rows;
}

function parse(chunks: readonly Uint8Array[]): void {
  const parser = new SaxesParser();
  const decoder = new TextDecoder();
  let cases = 0;
  parser.on('opentag', ({ name }) => {
    if (name === 'testcase') cases += 1;
  });
  for (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
  if (cases !== CASES) throw new Error(`${cases} cases`);
}

function insert(database: Database.Database, rows: readonly Row[], batch: number): void {
  const test = database.prepare(
    'insert into tests (seq, project_id, test_key, name, path, file, line, parameters) values (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const result = database.prepare(
    'insert into test_results (seq, test_seq, status, duration_ms, flaky, line, content_sha256, story_ids, message, trace, attempts) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  database.exec('pragma foreign_keys = off');
  database.exec('begin immediate');
  for (const [at, row] of rows.entries()) {
    if (batch === 1) test.run([SPAN + at, ...row.test]);
    result.run([batch * SPAN + at, SPAN + at, ...row.result]);
  }
  database.exec('commit');
}

if (import.meta.main) {
  console.log(JSON.stringify(await bareReport(process.argv[2] ?? '.')));
  process.exit(0);
}
