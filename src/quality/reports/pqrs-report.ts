// Reads our own report: JSON with `results`, checked strictly, so that a misspelt field is never
// dropped in silence. Each fault says where it is (RFC 6901).
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '../../errors.ts';
import { closed, nullable, oneOf, Time } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import { readTime, rfc3339 } from './figures.ts';
import { plainFile } from './files.ts';
import { cutIndex, type JsonDocument, objectOf, parametersOf } from './json-values.ts';
import {
  type Attempt,
  emptyHead,
  type FieldFault,
  type ReaderContext,
  type ReportHead,
  type ReportResult,
  type StoryLinks,
  TEXT_LIMITS,
} from './model.ts';
import { unique } from './story-links.ts';
import {
  addProperty,
  boundedAttempts,
  boundedMessage,
  boundedName,
  boundedPath,
  boundedTrace,
} from './text.ts';

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const ReportText = Type.String({ maxLength: 16 * TEXT_LIMITS.name, pattern: '\\S' });
const ReportTexts = Type.Array(ReportText, { maxItems: 100 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Status = oneOf(['passed', 'failed', 'broken', 'skipped', 'unknown']);

const outcome = {
  status: Status,
  durationMs: maybe(Count),
  message: maybe(Type.String()),
  trace: maybe(Type.String()),
};

const checkResult = compileCheck(
  closed({
    ...outcome,
    name: ReportText,
    path: maybe(ReportTexts),
    file: maybe(ReportText),
    line: maybe(Count),
    parameters: maybe(
      Type.Record(Type.String(), Type.Unknown(), { maxProperties: TEXT_LIMITS.parameters }),
    ),
    attempts: maybe(Type.Array(closed(outcome))),
    contentSha256: maybe(Type.String({ pattern: '^[0-9A-Fa-f]{64}$' })),
    storyIds: maybe(ReportTexts),
  }),
);
type CheckedResult = ReturnType<typeof checkResult>;

const head = {
  name: maybe(ReportText),
  tool: maybe(ReportText),
  reportId: maybe(ReportText),
  startedAt: maybe(Time),
  finishedAt: maybe(Time),
  durationMs: maybe(Count),
  environment: maybe(ReportText),
  branch: maybe(ReportText),
  commit: maybe(ReportText),
  properties: maybe(Type.Record(Type.String(), Type.String())),
};
const Results = Type.Array(Type.Unknown());
const checkHead = compileCheck(closed({ ...head, results: Results }));
const checkCutHead = compileCheck(closed({ ...head, results: Type.Optional(Results) }));
const HeadFields = Type.Object(head);

export async function readPqrsReport(
  document: JsonDocument,
  { problems, emit, links, runFields: own, onRunFields }: ReaderContext,
): Promise<{ head: ReportHead; runFields: Record<string, unknown> }> {
  const report = objectOf(document.value);
  if (report === undefined) {
    problems.add('not_a_report', 'not an object with results', { pointer: '' });
    return { head: emptyHead(), runFields: {} };
  }
  const isOwn = ([key]: [string, unknown]) => own.has(key);
  const runFields = Object.fromEntries(Object.entries(report).filter(isOwn));
  const rest = Object.entries(report).filter((entry) => !isOwn(entry));
  const check = document.cutAt ? checkCutHead : checkHead;
  const hasOwn = Object.keys(runFields).length > 0;
  const change = hasOwn
    ? await onRunFields(runFields, faultsOf(check, Object.fromEntries(rest)))
    : undefined;
  const changed = (value: unknown) => (change ? withTexts(value, change) : value);
  const top = Object.fromEntries(
    rest.map(([key, value]) => [key, key === 'results' ? value : changed(value)]),
  );
  const faults = faultsOf(check, top);
  for (const { pointer, detail } of faults) problems.add('invalid_field', detail, { pointer });

  const partial = cutIndex(document, ['results']);
  const results: unknown[] = Array.isArray(report.results) ? report.results : [];
  for (const [at, given] of results.entries()) {
    if (at === partial) continue;
    const result = changed(given);
    const wrong = faultsOf(checkResult, result);
    for (const { pointer, detail } of wrong)
      problems.add('invalid_field', detail, { pointer: `/results/${at}${pointer}` });
    if (wrong.length === 0) emit(resultOf(result as CheckedResult, links));
  }
  const wrong = new Set(faults.map(({ pointer }) => pointer.split('/')[1]));
  const good = Object.entries(top).filter(([key]) => key !== 'results' && !wrong.has(key));
  return { head: headOf(Object.fromEntries(good)), runFields };
}

function faultsOf(check: (value: unknown) => unknown, value: unknown): readonly FieldFault[] {
  try {
    check(value);
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
}

const MAX_DEPTH = 8;

function withTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [change(key), withTexts(one, change, depth + 1)]),
  );
}

function resultOf(result: CheckedResult, links: StoryLinks): ReportResult {
  const { name, file, path, parameters, attempts, storyIds } = result;
  const suites = path ?? [];
  return {
    name: boundedName(name),
    path: boundedPath(suites),
    file: file ? boundedName(plainFile(file)) : null,
    line: result.line || null,
    parameters: parametersOf(parameters),
    ...attemptOf(result),
    attempts: boundedAttempts((attempts ?? []).map(attemptOf)),
    contentSha256: result.contentSha256?.toLowerCase() ?? null,
    storyIds: unique([
      ...(storyIds ?? []).map(links.given),
      ...[name, ...suites].flatMap(links.inName),
    ]),
  };
}

type Outcome = Pick<CheckedResult, keyof typeof outcome>;

function attemptOf({ status, durationMs, message, trace }: Outcome): Attempt {
  return {
    status,
    durationMs: durationMs ?? null,
    message: boundedMessage(message),
    trace: boundedTrace(trace),
  };
}

type HeadFields = Static<typeof HeadFields>;

function headOf(fields: HeadFields): ReportHead {
  const text = (value: string | null | undefined) => (value ? boundedName(value, 300) : null);
  const time = (value: string | null | undefined) => {
    const read = readTime(value);
    return read && rfc3339(read.ms);
  };
  const head: ReportHead = {
    name: text(fields.name),
    tool: text(fields.tool),
    reportId: text(fields.reportId),
    startedAt: time(fields.startedAt),
    finishedAt: time(fields.finishedAt),
    zoned: Boolean(fields.startedAt ?? fields.finishedAt),
    durationMs: fields.durationMs ?? null,
    environment: text(fields.environment),
    branch: text(fields.branch),
    commit: text(fields.commit),
    properties: {},
  };
  for (const [name, value] of Object.entries(fields.properties ?? {})) {
    addProperty(head.properties, name, value);
  }
  return head;
}
