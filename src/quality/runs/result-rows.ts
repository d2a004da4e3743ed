// Results of tests: where their rows stand, how lists stand in them, and how they are shown.
import type { TestResultRow, TestRow } from '../../store/tables/quality.ts';
import type { Attempt, ResultStatus } from '../reports/model.ts';

export const RESULT_STATUSES = [
  'passed',
  'failed',
  'broken',
  'skipped',
  'unknown',
] as const satisfies readonly ResultStatus[];

/** Results that a run may have: the `seq` of one is its run's batch times this, plus its position. */
export const BATCH_SPAN = 131_072;

/** What all the results of a test have in common, as it is shown. */
export interface TestView {
  testKey: string;
  name: string;
  /** The suites that it stands in, from the outermost. */
  path: string[];
  file: string | null;
  line: number | null;
  parameters: Record<string, string> | null;
}

export interface ResultView extends TestView {
  status: ResultStatus;
  durationMs: number | null;
  attempts: Attempt[];
  flaky: boolean;
  message: string | null;
  trace: string | null;
  contentSha256: string | null;
  storyIds: string[];
}

/** A test as it is shown. `path` is a JSON list in its row, `parameters` a JSON object or null. */
export function testView(row: TestRow): TestView {
  return {
    testKey: row.testKey,
    name: row.name,
    path: row.path,
    file: row.file,
    line: row.line,
    parameters: row.parameters,
  };
}

/**
 * A result as it is shown. `attempts` and `storyIds` are JSON lists in its row, or null where they
 * are empty.
 *
 * @param extra - what is shown beside; its `flaky`, where given, is the one that is shown
 */
export function resultView<E extends object = object>(
  row: TestResultRow,
  test: TestRow,
  extra: E = {} as E,
): ResultView & E {
  return {
    ...testView(test),
    line: row.line ?? test.line,
    status: row.status as ResultStatus,
    durationMs: row.durationMs,
    attempts: row.attempts ?? [],
    flaky: row.flaky,
    message: row.message,
    trace: row.trace,
    contentSha256: row.contentSha256,
    storyIds: row.storyIds ?? [],
    ...extra,
  };
}
