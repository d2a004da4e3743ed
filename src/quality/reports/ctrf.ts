// Reads CTRF, the Common Test Report Format, as people really write it: what is not valid to the
// schema is noted and read all the same (https://ctrf.io, schema 0.0.0).
import { countTest, noCounts, noteTotals } from './counts.ts';
import { createCtrfTests } from './ctrf-test.ts';
import { boundedMs, type ReportTime, readCount, readTime, rfc3339 } from './figures.ts';
import { type JsonObject, numberOf, objectOf, textOf, writtenOf } from './json-fields.ts';
import { type JsonDocument, openIndex } from './json-input.ts';
import { emptyHead, type ReaderContext, type ReportHead, type StatedTotals } from './model.ts';
import { addProperty, boundedName } from './text.ts';

/** Whether a JSON document is CTRF, with or without the fields that say so. */
export function isCtrf(value: unknown): boolean {
  const document = objectOf(value);
  if (document === undefined) return false;
  const results = objectOf(document.results);
  if (document.reportFormat === 'CTRF') return true;
  if (results !== undefined) {
    return 'tests' in results || 'summary' in results || 'tool' in results;
  }
  return Array.isArray(document.tests) && objectOf(document.summary) !== undefined;
}

/** Emits the results of a CTRF document and gives its head. */
export function readCtrf(document: JsonDocument, context: ReaderContext): ReportHead {
  const { problems, emit } = context;
  const report = objectOf(document.value) ?? {};
  const nested = objectOf(report.results);
  const results = nested ?? report;
  const prefix = nested === undefined ? [] : ['results'];
  const head = headOf(report, results, context);
  const faults = schemaFaults(report, results);

  const tests = Array.isArray(results.tests) ? results.tests : [];
  if (!Array.isArray(results.tests) && document.open === undefined) {
    problems.error('not_a_report', 'a CTRF report without a list of tests');
  }
  const partial = openIndex(document, [...prefix, 'tests']);
  const found = noCounts();
  const read = createCtrfTests(context);
  tests.forEach((test: unknown, at) => {
    if (at === partial) return;
    const pointer = `/${[...prefix, 'tests', at].join('/')}`;
    const result = read.result(test, pointer);
    if (result === undefined) return;
    countTest(found, result.status);
    emit(result);
  });
  for (const fault of [...faults, ...read.faults()]) problems.warning('not_to_schema', fault);
  if (head.stated !== null && document.open === undefined) {
    noteTotals(problems, 'the summary', head.stated, found);
  }
  return head;
}

function headOf(report: JsonObject, results: JsonObject, { problems }: ReaderContext): ReportHead {
  const head = emptyHead();
  const summary = objectOf(results.summary) ?? {};
  const environment = objectOf(results.environment) ?? objectOf(report.environment) ?? {};
  const name = textOf(environment.reportName) ?? textOf(report.name);
  const tool = textOf(objectOf(results.tool)?.name ?? results.tool);
  head.name = name === undefined ? null : boundedName(name, 300);
  head.tool = tool === undefined ? null : boundedName(tool, 300);
  head.reportId = bounded(report.reportId);
  head.commit = bounded(environment.commit);
  head.branch = bounded(environment.branchName ?? environment.branch);
  head.environment = bounded(environment.testEnvironment);
  times(head, summary, textOf(report.timestamp));
  head.stated = statedBy(summary);
  for (const [key, value] of Object.entries(environment).slice(0, 100)) {
    if (key !== 'extra' && value !== null) addProperty(head.properties, key, writtenOf(value));
  }
  if (environment.healthy === false) {
    problems.error('unhealthy_environment', 'the report says that its environment was not healthy');
  }
  return head;
}

function bounded(value: unknown): string | null {
  const text = textOf(value);
  return text === undefined ? null : boundedName(text, 300) || null;
}

/** Times are milliseconds since 1970; a start of 0 is what a tool writes that knows none. */
function times(head: ReportHead, summary: JsonObject, timestamp: string | undefined): void {
  const known = (value: unknown): ReportTime | null => {
    const number = numberOf(value);
    return readTime(number === undefined ? textOf(value) : number === 0 ? null : number);
  };
  const start = known(summary.start);
  const stop = known(summary.stop) ?? readTime(timestamp);
  head.zoned =
    [start, stop].every((time) => time === null || time.zoned) && (start ?? stop) !== null;
  head.startedAt = start === null ? null : rfc3339(start.ms);
  head.finishedAt = stop === null ? null : rfc3339(stop.ms);
  const said = numberOf(summary.duration);
  const between = start !== null && stop !== null ? boundedMs(stop.ms - start.ms) : null;
  head.durationMs = said === undefined ? between : boundedMs(said);
}

function statedBy(summary: JsonObject): StatedTotals | null {
  const [tests, passed, failed] = [summary.tests, summary.passed, summary.failed].map(readCount);
  const [skipped, pending] = [summary.skipped, summary.pending].map(readCount);
  if (tests === null && passed === null && failed === null) return null;
  return {
    ...{ tests: tests ?? null, passed: passed ?? null, failed: failed ?? null, broken: null },
    skipped: skipped === null && pending === null ? null : (skipped ?? 0) + (pending ?? 0),
    unknown: readCount(summary.other),
  };
}

function schemaFaults(report: JsonObject, results: JsonObject): string[] {
  const missing = [
    report.reportFormat === 'CTRF' ? '' : '/reportFormat is not "CTRF"',
    typeof report.specVersion === 'string' ? '' : '/specVersion is missing',
    objectOf(report.results) === undefined ? '/results is missing' : '',
    objectOf(results.tool) === undefined ? '/results/tool is missing' : '',
    objectOf(results.summary) === undefined ? '/results/summary is missing' : '',
  ];
  return missing.filter((fault) => fault !== '');
}
