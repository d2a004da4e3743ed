// Reads our own report: JSON with `results`, checked strictly, so that a misspelt field is never
// dropped in silence. Each fault says where it is (RFC 6901).

import { checkField, type FieldCheck, type FieldRules } from './field-rules.ts';
import { readTime, rfc3339 } from './figures.ts';
import { plainFile } from './files.ts';
import { type JsonObject, objectOf } from './json-fields.ts';
import { type JsonDocument, openIndex } from './json-input.ts';
import {
  type Attempt,
  emptyHead,
  type FieldFault,
  type ReaderContext,
  type ReportHead,
  type ReportResult,
} from './model.ts';
import { parametersOf } from './parameters.ts';
import { type StoryLinks, unique } from './story-links.ts';
import { addProperty, boundedMessage, boundedName, boundedPath, boundedTrace } from './text.ts';

const HEAD: FieldRules = {
  name: 'text?',
  tool: 'text?',
  reportId: 'text?',
  startedAt: 'time?',
  finishedAt: 'time?',
  durationMs: 'count?',
  environment: 'text?',
  branch: 'text?',
  commit: 'text?',
  properties: 'texts by name?',
  results: 'list',
};

const RESULT: FieldRules = {
  name: 'text',
  path: 'texts?',
  file: 'text?',
  line: 'count?',
  parameters: 'object?',
  status: 'status',
  durationMs: 'count?',
  attempts: 'list?',
  message: 'any text?',
  trace: 'any text?',
  contentSha256: 'sha256?',
  storyIds: 'texts?',
};

const ATTEMPT: FieldRules = {
  status: 'status',
  durationMs: 'count?',
  message: 'any text?',
  trace: 'any text?',
};

/** What a report of ours has at its top, and what each result and attempt has. */
export const PQRS_FIELDS = {
  head: Object.keys(HEAD),
  result: Object.keys(RESULT),
  attempt: Object.keys(ATTEMPT),
} as const;

/** Emits the results of one of our own reports; those with a fault are left out and noted. */
export async function readPqrsReport(
  document: JsonDocument,
  { problems, emit, links, runFields: own, begin }: ReaderContext,
): Promise<{ head: ReportHead; runFields: Record<string, unknown> }> {
  const report = objectOf(document.value);
  if (report === undefined) {
    problems.error('not_a_report', 'not an object with results', { pointer: '' });
    return { head: emptyHead(), runFields: {} };
  }
  const fault: FieldCheck = (pointer, detail) =>
    problems.error('invalid_field', detail, { pointer });
  const runFields = Object.fromEntries(Object.entries(report).filter(([key]) => own.has(key)));
  const rules: FieldRules = document.open === undefined ? HEAD : { ...HEAD, results: 'list?' };
  const rest = Object.entries(report).filter(([key]) => !own.has(key));
  const isOwned = Object.keys(runFields).length > 0;
  const change = isOwned
    ? await begin?.(runFields, faultsOf(Object.fromEntries(rest), rules))
    : undefined;
  const changed = (value: unknown) => (change ? withTexts(value, change) : value);
  const head = Object.fromEntries(
    rest.map(([key, value]) => [key, key === 'results' ? value : changed(value)]),
  );
  checked(head, rules, '', fault);
  const partial = openIndex(document, ['results']);
  const results: unknown[] = Array.isArray(report.results) ? report.results : [];
  results.forEach((given, at) => {
    if (at === partial) return;
    const result = resultOf(changed(given), `/results/${at}`, fault, links);
    if (result !== undefined) emit(result);
  });
  return { head: headOf(head), runFields };
}

/** Faults at the top that are told before the results are read. */
const FAULTS_MOST = 50;

function faultsOf(head: JsonObject, rules: FieldRules): FieldFault[] {
  const faults: FieldFault[] = [];
  checked(head, rules, '', (pointer, detail) => {
    if (faults.length < FAULTS_MOST) faults.push({ pointer, detail });
  });
  return faults;
}

/** What lies deeper is no part of a report. */
const DEPTH = 8;

/** A value with all its texts changed, before any of them is cut. */
function withTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || depth > DEPTH) return value;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [change(key), withTexts(one, change, depth + 1)]),
  );
}

/** Checks an object field by field; false where it is none or something in it is wrong. */
function checked(
  value: unknown,
  rules: FieldRules,
  pointer: string,
  fault: FieldCheck,
): value is JsonObject {
  const object = objectOf(value);
  if (object === undefined) {
    fault(pointer, 'must be an object');
    return false;
  }
  let good = true;
  const note: FieldCheck = (at, detail) => {
    good = false;
    fault(at, detail);
  };
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(rules, name)) note(`${pointer}/${escaped(name)}`, 'is not a known field');
  }
  for (const [name, rule] of Object.entries(rules)) {
    checkField(object[name], rule, `${pointer}/${name}`, note);
  }
  return good;
}

function escaped(name: string): string {
  return name.slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1');
}

function resultOf(
  value: unknown,
  pointer: string,
  fault: FieldCheck,
  links: StoryLinks,
): ReportResult | undefined {
  if (!checked(value, RESULT, pointer, fault)) return undefined;
  const attempts = (value.attempts ?? []) as unknown[];
  const wrong = attempts.filter(
    (attempt, at) => !checked(attempt, ATTEMPT, `${pointer}/attempts/${at}`, fault),
  );
  if (wrong.length > 0) return undefined;
  const name = value.name as string;
  const suites = (value.path ?? []) as string[];
  const file = (value.file ?? null) as string | null;
  const linked = ((value.storyIds ?? []) as string[]).map(links.given);
  return {
    ...{ name: boundedName(name), path: boundedPath(suites) },
    file: file === null ? null : boundedName(plainFile(file)),
    line: (value.line as number | null | undefined) || null,
    parameters: parametersOf(value.parameters),
    ...attemptOf(value),
    attempts: attempts.map((attempt) => attemptOf(attempt as JsonObject)),
    contentSha256: (value.contentSha256 as string | null | undefined)?.toLowerCase() ?? null,
    storyIds: unique([...linked, ...[name, ...suites].flatMap(links.inName)]),
  };
}

function attemptOf(value: JsonObject): Attempt {
  return {
    status: value.status as Attempt['status'],
    durationMs: (value.durationMs ?? null) as number | null,
    message: boundedMessage(value.message as string | null | undefined),
    trace: boundedTrace(value.trace as string | null | undefined),
  };
}

function headOf(report: JsonObject): ReportHead {
  const head = emptyHead();
  const text = (name: string) =>
    typeof report[name] === 'string' ? boundedName(report[name], 300) || null : null;
  const time = (name: string) => {
    const read = typeof report[name] === 'string' ? readTime(report[name]) : null;
    return read === null ? null : rfc3339(read.ms);
  };
  head.name = text('name');
  head.tool = text('tool');
  head.reportId = text('reportId');
  head.environment = text('environment');
  head.branch = text('branch');
  head.commit = text('commit');
  head.startedAt = time('startedAt');
  head.finishedAt = time('finishedAt');
  head.zoned = (head.startedAt ?? head.finishedAt) !== null;
  head.durationMs = Number.isInteger(report.durationMs) ? (report.durationMs as number) : null;
  for (const [name, value] of Object.entries(objectOf(report.properties) ?? {})) {
    if (typeof value === 'string') addProperty(head.properties, name, value);
  }
  return head;
}
