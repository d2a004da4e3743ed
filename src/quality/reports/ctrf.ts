// Reads CTRF, the Common Test Report Format, as people really write it: what is not valid to the
// schema is read all the same (https://ctrf.io, schema 0.0.0).
import { boundedMs, type ReportTime, readCount, readTime, rfc3339 } from './figures.ts';
import { looksLikeFile, plainFile } from './files.ts';
import {
  cutIndex,
  type JsonDocument,
  type JsonObject,
  objectOf,
  parametersOf,
  writtenOf,
} from './json-values.ts';
import {
  type Attempt,
  emptyHead,
  type ReaderContext,
  type ReportHead,
  type ReportResult,
  type ResultStatus,
  type StatedTotals,
  type StoryLinks,
  TEXT_LIMITS,
} from './model.ts';
import { checkTotals, countTest, noCounts } from './problems.ts';
import { isStoryLink, unique } from './story-links.ts';
import {
  addProperty,
  boundedAttempts,
  boundedMessage,
  boundedName,
  boundedPath,
  boundedTrace,
  sha256Of,
} from './text.ts';

export function isCtrf(value: unknown): boolean {
  const document = objectOf(value);
  if (document === undefined) return false;
  if (document.reportFormat === 'CTRF') return true;
  const results = objectOf(document.results);
  if (results !== undefined) return ['tests', 'summary', 'tool'].some((name) => name in results);
  return Array.isArray(document.tests) && objectOf(document.summary) !== undefined;
}

export function readCtrf(document: JsonDocument, context: ReaderContext): ReportHead {
  const { problems, emit, links } = context;
  const report = objectOf(document.value) ?? {};
  const nested = objectOf(report.results);
  const results = nested ?? report;
  const list = nested === undefined ? ['tests'] : ['results', 'tests'];
  const environment = objectOf(results.environment) ?? objectOf(report.environment) ?? {};
  const summary = objectOf(results.summary) ?? {};
  if (environment.healthy === false) {
    const detail = 'the report says that its environment was not healthy';
    problems.add('unhealthy_environment', detail);
  }
  if (!Array.isArray(results.tests) && document.cutAt === undefined) {
    problems.add('not_a_report', 'a CTRF report without a list of tests');
  }
  const tests: unknown[] = Array.isArray(results.tests) ? results.tests : [];
  const partial = cutIndex(document, list);
  const found = noCounts();
  for (const [at, value] of tests.entries()) {
    if (at === partial) continue;
    const test = objectOf(value);
    if (test === undefined) {
      problems.add('invalid_field', 'not a test', { pointer: `/${list.join('/')}/${at}` });
      continue;
    }
    const result = resultOf(test, links);
    countTest(found, result.status);
    emit(result);
  }
  const stated = statedBy(summary);
  if (stated !== null && document.cutAt === undefined) {
    checkTotals(problems, 'the summary', stated, found);
  }
  return headOf(report, results, environment, summary);
}

function headOf(
  report: JsonObject,
  results: JsonObject,
  environment: JsonObject,
  summary: JsonObject,
): ReportHead {
  const head = emptyHead();
  head.name = shortOf(environment.reportName ?? report.name);
  head.tool = shortOf(objectOf(results.tool)?.name ?? results.tool);
  head.reportId = shortOf(report.reportId);
  head.commit = shortOf(environment.commit);
  head.branch = shortOf(environment.branchName ?? environment.branch);
  head.environment = shortOf(environment.testEnvironment);
  for (const [key, value] of Object.entries(environment).slice(0, TEXT_LIMITS.properties)) {
    if (key !== 'extra' && value !== null) addProperty(head.properties, key, writtenOf(value));
  }
  const start = timeOf(summary.start);
  const stop = timeOf(summary.stop) ?? readTime(textOf(report.timestamp));
  head.zoned = (start ?? stop) !== null && start?.zoned !== false && stop?.zoned !== false;
  head.startedAt = start && rfc3339(start.ms);
  head.finishedAt = stop && rfc3339(stop.ms);
  const said = numberOf(summary.duration);
  const between = start !== null && stop !== null ? stop.ms - start.ms : Number.NaN;
  head.durationMs = boundedMs(said ?? between);
  return head;
}

function shortOf(value: unknown): string | null {
  const text = textOf(value);
  return text === undefined ? null : boundedName(text, 300) || null;
}

/** Times are milliseconds since 1970; a start of 0 is what a tool writes that knows none. */
function timeOf(value: unknown): ReportTime | null {
  const number = numberOf(value);
  return readTime(number === undefined ? textOf(value) : number === 0 ? null : number);
}

function statedBy({ tests, failed, skipped, pending }: JsonObject): StatedTotals | null {
  const [all, failing] = [readCount(tests), readCount(failed)];
  if (all === null && failing === null) return null;
  const idle = (readCount(skipped) ?? 0) + (readCount(pending) ?? 0);
  return { tests: all, failing, skipped: idle };
}

function resultOf(test: JsonObject, links: StoryLinks): ReportResult {
  const name = textOf(test.name) ?? '';
  const suites =
    typeof test.suite === 'string' ? test.suite.split(/ (?:>|›|») /) : textsOf(test.suite);
  const file = fileOf(test, suites);
  const path = suites.filter((suite) => plainFile(suite) !== file);
  const last = attemptOf(test);
  return {
    name: boundedName(name) || '(unnamed)',
    path: boundedPath(path),
    file,
    line: readCount(test.line) || null,
    parameters: parametersOf(test.parameters),
    status: last.status,
    durationMs: last.durationMs,
    attempts: attemptsOf(test, last),
    message: last.message,
    trace: last.trace,
    contentSha256: sha256Of(objectOf(test.extra)?.contentSha256),
    storyIds: storiesOf(test, [name, ...path], links),
  };
}

function fileOf(test: JsonObject, [first]: readonly string[]): string | null {
  const said = textOf(test.filePath) ?? textOf(test.filepath) ?? textOf(test.file);
  if (said !== undefined) return boundedName(plainFile(said.trim()));
  return first !== undefined && looksLikeFile(first) ? boundedName(plainFile(first)) : null;
}

function storiesOf(test: JsonObject, names: readonly string[], links: StoryLinks): string[] {
  const linked = [test.labels, test.extra].flatMap((fields) =>
    Object.entries(objectOf(fields) ?? {})
      .filter(([key]) => isStoryLink(key))
      .flatMap(([, value]) => textsOf(value).flatMap(links.inValue)),
  );
  const tagged = textsOf(test.tags).slice(0, 200).flatMap(links.inTag);
  return unique([...linked, ...tagged, ...names.flatMap(links.inName)]);
}

/** The five words of CTRF, and what tools write that do not hold to them. */
const STATUSES = new Map<string, ResultStatus>([
  ...['passed', 'pass', 'success', 'ok', 'flaky'].map((word) => [word, 'passed'] as const),
  ...['failed', 'fail', 'failure', 'timedout', 'timeout'].map((word) => [word, 'failed'] as const),
  ...['error', 'errored', 'broken', 'crashed', 'interrupted'].map(
    (word) => [word, 'broken'] as const,
  ),
  ...['skipped', 'skip', 'pending', 'todo', 'disabled', 'ignored'].map(
    (word) => [word, 'skipped'] as const,
  ),
]);

function statusOf(test: JsonObject): ResultStatus {
  const [said, raw] = [test.status, test.rawStatus].map((value) =>
    STATUSES.get((textOf(value) ?? '').toLowerCase().replace(/[\s_-]/g, '')),
  );
  // Other and failed say less than the tool's own word for it.
  if (raw === 'broken' && (said === undefined || said === 'failed')) return 'broken';
  return said ?? 'unknown';
}

function attemptOf(test: JsonObject): Attempt {
  return {
    status: statusOf(test),
    durationMs: boundedMs(numberOf(test.duration) ?? Number.NaN),
    message: boundedMessage(textOf(test.message)),
    trace: boundedTrace(textOf(test.trace)),
  };
}

/**
 * Every try in order. Some tools list the last one among the retries and some do not; some only say
 * how many there were.
 */
function attemptsOf(test: JsonObject, last: Attempt): Attempt[] {
  const retries = readCount(test.retries) ?? 0;
  const listed: unknown[] = Array.isArray(test.retryAttempts) ? test.retryAttempts : [];
  if (listed.length > 0) {
    const tries = listed
      .map(objectOf)
      .filter((attempt) => attempt !== undefined)
      .sort((a, b) => (numberOf(a.attempt) ?? 0) - (numberOf(b.attempt) ?? 0))
      .map(attemptOf);
    const hasLast =
      tries.at(-1)?.status === last.status && (retries === 0 || tries.length > retries);
    return boundedAttempts(hasLast ? tries : [...tries, last]);
  }
  const retried = test.flaky === true ? Math.max(retries, 1) : retries;
  if (retried === 0 || test.flaky === false || last.status === 'skipped') return [];
  const before: Attempt = { status: 'failed', durationMs: null, message: null, trace: null };
  const tries = Array.from({ length: Math.min(retried, TEXT_LIMITS.attempts) }, () => before);
  return boundedAttempts([...tries, last]);
}

/** A text that is not blank; a number or a truth value as its text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return /\S/.test(value) ? value : undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => textOf(one) ?? []);
}
