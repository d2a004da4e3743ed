// Results on their way into the database, in batches: each is made a JSON text where the report is
// read, and taken apart and inserted by few statements with many values, so that it costs the thread
// of the requests little.
import type { InValue } from '@libsql/client';
import { executeRaw } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import type { Attempt } from '../reports/model.ts';
import type { KeyedResult } from '../reports/read.ts';
import { BATCH_SPAN } from './model.ts';

export interface RowBatch {
  keys: string;
  /** A JSON list with a list for each: what is of its test, then what is of itself (see `rowOf`). */
  rows: string;
  storyIds: string[];
}

export type MaskText = (text: string) => string;

type Cell = string | number | null;
type Row = [position: number, test: Cell[], result: Cell[]];

const BATCH_CHARACTERS = 256 * 1024;
const ATTEMPTS_CHARACTERS = 128 * 1024;

/** @param first - position of the first of them in its report */
export function* rowBatches(
  results: readonly KeyedResult[],
  first: number,
  mask?: MaskText,
): Generator<RowBatch> {
  let keys: string[] = [];
  let rows: string[] = [];
  let storyIds = new Set<string>();
  let characters = 0;
  for (const [at, given] of results.entries()) {
    const result = mask ? masked(given, mask) : given;
    const row = JSON.stringify(rowOf(result, first + at));
    keys.push(result.testKey);
    rows.push(row);
    for (const id of result.storyIds) storyIds.add(id);
    characters += row.length;
    if (characters < BATCH_CHARACTERS && at < results.length - 1) continue;
    yield { keys: JSON.stringify(keys), rows: `[${rows.join()}]`, storyIds: [...storyIds] };
    [keys, rows, storyIds, characters] = [[], [], new Set(), 0];
  }
}

const TEST_COLUMNS = 'seq, project_id, test_key, name, path, file, line, parameters';
const RESULT_COLUMNS =
  'seq, test_seq, status, duration_ms, flaky, line, content_sha256, story_ids, message, trace, attempts';

function rowOf(result: KeyedResult, position: number): Row {
  const { testKey, name, path, file, line, parameters, attempts, storyIds } = result;
  const { status, durationMs, flaky, contentSha256, message, trace } = result;
  const listed = (list: readonly unknown[]) => (list.length === 0 ? null : JSON.stringify(list));
  const named = parameters === null ? null : JSON.stringify(parameters);
  const texts = [listed(storyIds), message, trace, listed(bounded(attempts))];
  return [
    position,
    [testKey, name, JSON.stringify(path), file, line, named],
    [status, durationMs, flaky ? 1 : 0, line, contentSha256, ...texts],
  ];
}

function masked(result: KeyedResult, mask: MaskText): KeyedResult {
  const text = (value: string | null) => (value === null ? null : mask(value));
  const parameters = Object.entries(result.parameters ?? {}).map((one) => one.map(mask));
  return {
    ...result,
    name: mask(result.name),
    path: result.path.map(mask),
    file: text(result.file),
    parameters: result.parameters && Object.fromEntries(parameters),
    attempts: result.attempts.map((attempt) => ({
      ...attempt,
      message: text(attempt.message),
      trace: text(attempt.trace),
    })),
    message: text(result.message),
    trace: text(result.trace),
    storyIds: result.storyIds.map(mask),
  };
}

function bounded(attempts: readonly Attempt[]): Attempt[] {
  let left = ATTEMPTS_CHARACTERS;
  return attempts.map((attempt) => {
    left -= (attempt.message?.length ?? 0) + (attempt.trace?.length ?? 0);
    return left >= 0 ? attempt : { ...attempt, message: null, trace: null };
  });
}

export async function insertRows(
  db: Db,
  { projectId, batch }: { projectId: string; batch: number },
  { keys, rows }: Pick<RowBatch, 'keys' | 'rows'>,
): Promise<void> {
  const known = await executeRaw(
    db,
    'select t.seq from json_each(?) k left join tests t on t.project_id = ? and t.test_key = k.value order by k.key',
    [keys, projectId],
  );
  const base = batch * BATCH_SPAN;
  const tests: InValue[][] = [];
  const results = (JSON.parse(rows) as Row[]).map(([position, test, result], at): InValue[] => {
    const seq = base + position;
    const testSeq = known[at]?.[0] ?? null;
    if (testSeq === null) tests.push([seq, projectId, ...test]);
    return [seq, testSeq ?? seq, ...result];
  });
  await Promise.all([
    ...inserts(db, `insert into tests (${TEST_COLUMNS})`, tests),
    ...inserts(db, `insert into test_results (${RESULT_COLUMNS})`, results),
  ]);
}

/** Rows that a statement inserts: a few sizes, so that all statements there are stay prepared. */
const SIZES = [250, 50, 10, 1];

function* inserts(db: Db, into: string, rows: readonly InValue[][]): Generator<Promise<unknown>> {
  for (let at = 0; at < rows.length; ) {
    const size = SIZES.find((one) => one <= rows.length - at) ?? 1;
    const some = rows.slice(at, at + size);
    const values = some.map((row) => `(${row.map(() => '?').join()})`);
    yield executeRaw(db, `${into} values ${values.join()}`, some.flat());
    at += size;
  }
}
