// Reads CTRF, the Common Test Report Format (https://ctrf.io, schema 0.0.0).

import type { ReaderContext } from './collect.ts';
import {
  checkTotals,
  emptyHead,
  type ReportHead,
  type ReportResult,
  type ReportTry,
  type ResultStatus,
  TEXT_LIMITS,
} from './model.ts';
import { isStoryLink, type StoryLinks } from './story-links.ts';
import {
  boundedField,
  boundedMs,
  type JsonDocument,
  type JsonObject,
  objectOf,
  parametersOf,
  readCount,
  readTime,
  rfc3339,
  wholeItems,
} from './text.ts';

export function isCtrf(value: unknown): boolean {
  const { reportFormat, results } = objectOf(value) ?? {};
  const inside = objectOf(results) ?? {};
  return reportFormat === 'CTRF' || ['tests', 'summary', 'tool'].some((name) => name in inside);
}

export function readCtrf(document: JsonDocument, context: ReaderContext): ReportHead {
  const { problems, emit, links } = context;
  const report = objectOf(document.value) ?? {};
  const results = objectOf(report.results) ?? {};
  const environment = objectOf(results.environment) ?? {};
  const summary = objectOf(results.summary) ?? {};
  if (environment.healthy === false) {
    const detail = 'the report says that its environment was not healthy';
    problems.add('unhealthy_environment', detail);
  }
  if (!Array.isArray(results.tests) && !document.isCut)
    problems.add('not_a_report', 'a CTRF report without a list of tests');
  const found = { tests: 0, failing: 0, skipped: 0 };
  for (const [at, value] of wholeItems(document, results.tests).entries()) {
    const pointer = `/results/tests/${at}`;
    const test = objectOf(value);
    if (test === undefined) {
      problems.add('invalid_field', 'not a test', { pointer });
      continue;
    }
    const result = resultOf(test, links);
    if (!STATUSES.has(textOf(test.status) ?? '')) {
      const detail = `must be one of ${[...STATUSES.keys()].join(', ')}`;
      problems.add('invalid_field', detail, { pointer: `${pointer}/status` });
    }
    found.tests += 1;
    if (result.status === 'skipped') found.skipped += 1;
    else if (result.status !== 'passed') found.failing += 1;
    emit(result);
  }
  if (!document.isCut) {
    const count = (name: string) => readCount(summary[name]) ?? 0;
    const skipped = count('skipped') + count('pending');
    const stated = { tests: count('tests'), failing: count('failed'), skipped };
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
  const field = (value: unknown) => boundedField(textOf(value));
  head.name = field(environment.reportName);
  head.tool = field(objectOf(results.tool)?.name);
  head.reportId = field(report.reportId);
  head.commit = field(environment.commit);
  head.branch = field(environment.branchName);
  head.environment = field(environment.testEnvironment);
  // Milliseconds since 1970; 0 is what a tool writes that knows none.
  const [start, stop] = [readTime(summary.start), readTime(summary.stop)];
  head.zoned = start !== null || stop !== null;
  head.startedAt = start && rfc3339(start.ms);
  head.finishedAt = stop && rfc3339(stop.ms);
  head.durationMs = boundedMs(start && stop && stop.ms - start.ms);
  return head;
}

function resultOf(test: JsonObject, links: StoryLinks): ReportResult {
  const suites = typeof test.suite === 'string' ? test.suite.split(' > ') : textsOf(test.suite);
  const labels = Object.entries({ ...objectOf(test.extra), ...objectOf(test.labels) });
  const last = attemptOf(test);
  return {
    ...last,
    name: textOf(test.name) ?? '',
    suites,
    file: textOf(test.filePath),
    line: readCount(test.line),
    parameters: parametersOf(test.parameters),
    attempts: attemptsOf(test, last),
    contentSha256: textOf(objectOf(test.extra)?.contentSha256),
    storyIds: [
      ...labels.flatMap(([key, value]) =>
        isStoryLink(key) ? textsOf(value).flatMap(links.inValue) : [],
      ),
      ...textsOf(test.tags).slice(0, 200).flatMap(links.inTag),
    ],
  };
}

const STATUSES: ReadonlyMap<string, ResultStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['other', 'unknown'],
]);

function attemptOf(test: JsonObject): ReportTry {
  const status = STATUSES.get(textOf(test.status) ?? '') ?? 'unknown';
  // Other and failed say less than the tool's own word for it.
  const isBroken = /^(?:error|errored|broken|crashed|interrupted)$/i.test(
    textOf(test.rawStatus) ?? '',
  );
  return {
    status: isBroken && status !== 'passed' && status !== 'skipped' ? 'broken' : status,
    durationMs: boundedMs(test.duration),
    message: textOf(test.message),
    trace: textOf(test.trace),
  };
}

/** Every try in order: some tools list the last one among the retries, and some only say how many. */
function attemptsOf(test: JsonObject, last: ReportTry): ReportTry[] {
  const retries = readCount(test.retries) ?? 0;
  const listed: unknown[] = Array.isArray(test.retryAttempts) ? test.retryAttempts : [];
  const tries = listed.map((one) => attemptOf(objectOf(one) ?? {}));
  if (tries.length > 0) return retries > 0 && tries.length > retries ? tries : [...tries, last];
  const isRetried = test.flaky === true || (retries > 0 && test.flaky !== false);
  if (!isRetried || last.status === 'skipped') return [];
  const length = Math.min(Math.max(retries, 1), TEXT_LIMITS.attempts);
  return [...Array.from({ length }, (): ReportTry => ({ status: 'failed' })), last];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /\S/.test(value) ? value : undefined;
}

function textsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => textOf(one) ?? []);
}
