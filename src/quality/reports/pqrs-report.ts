// Reads our own report: JSON with `results`, checked strictly, so that a misspelt field is never
// dropped in silence. Each fault says where it is (RFC 6901).
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '../../errors.ts';
import { closed, nullable, oneOf, Time } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import type { ReaderContext } from './collect.ts';
import { readTime, rfc3339 } from './figures.ts';
import { type JsonDocument, objectOf, parametersOf, wholeItems } from './json-values.ts';
import {
  emptyHead,
  type FieldFault,
  type ReportHead,
  type ReportResult,
  TEXT_LIMITS,
} from './model.ts';
import type { StoryLinks } from './story-links.ts';
import { addProperty, boundedField } from './text.ts';

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const ReportText = Type.String({ maxLength: 16 * TEXT_LIMITS.name, pattern: '\\S' });
const ReportTexts = Type.Array(ReportText, { maxItems: 100 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const outcome = {
  status: oneOf(['passed', 'failed', 'broken', 'skipped', 'unknown']),
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
const HeadFields = Type.Object(head);
type HeadFields = Static<typeof HeadFields>;
const checkHead = compileCheck(closed({ ...head, results: Type.Array(Type.Unknown()) }));

export async function readPqrsReport(
  document: JsonDocument,
  { problems, emit, links, runFields: own, onRunFields }: ReaderContext,
): Promise<{ head: ReportHead; runFields: Record<string, unknown> }> {
  const report = objectOf(document.value);
  if (report === undefined) {
    problems.add('not_a_report', 'not an object with results', { pointer: '' });
    return { head: emptyHead(), runFields: {} };
  }
  const { results, ...fields } = report;
  const listed = results !== undefined ? { results } : document.isCut ? { results: [] } : {};
  const isOwn = ([name]: [string, unknown]) => own.has(name);
  const runFields = Object.fromEntries(Object.entries(fields).filter(isOwn));
  const rest = Object.fromEntries(Object.entries(fields).filter((field) => !isOwn(field)));
  const hasOwn = Object.keys(runFields).length > 0;
  const mask = hasOwn
    ? await onRunFields(runFields, faultsOf(checkHead, { ...rest, ...listed }))
    : undefined;
  const masked = (value: unknown) => (mask ? withTexts(value, mask) : value);
  const top = masked(rest) as HeadFields;
  const faults = faultsOf(checkHead, { ...top, ...listed });
  for (const { pointer, detail } of faults) problems.add('invalid_field', detail, { pointer });
  for (const [at, given] of wholeItems(document, results).entries()) {
    const result = masked(given);
    const wrong = faultsOf(checkResult, result);
    for (const { pointer, detail } of wrong)
      problems.add('invalid_field', detail, { pointer: `/results/${at}${pointer}` });
    if (wrong.length === 0) emit(resultOf(result as CheckedResult, links));
  }
  return { head: faults.length === 0 ? headOf(top) : emptyHead(), runFields };
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
  const { path, file, parameters, storyIds } = result;
  return {
    ...result,
    suites: path ?? [],
    file: file ?? null,
    parameters: parametersOf(parameters),
    storyIds: storyIds?.map(links.given),
  };
}

function headOf(fields: HeadFields): ReportHead {
  const head = emptyHead();
  for (const name of ['name', 'tool', 'reportId', 'environment', 'branch', 'commit'] as const)
    head[name] = boundedField(fields[name]);
  for (const name of ['startedAt', 'finishedAt'] as const) {
    const time = readTime(fields[name]);
    head[name] = time && rfc3339(time.ms);
    head.zoned ||= time !== null;
  }
  head.durationMs = fields.durationMs ?? null;
  for (const [name, value] of Object.entries(fields.properties ?? {}))
    addProperty(head.properties, name, value);
  return head;
}
