// Reads a JSON report whole, within its limit: CTRF or our own, as its format or, where that is open,
// the document says. Of one that is cut off, what stands before the cut is read.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { Problem } from '../../errors.ts';
import { closed, nullable, oneOf, Time } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import type { ReaderContext } from './collect.ts';
import { isCtrf, readCtrf } from './ctrf.ts';
import {
  emptyHead,
  type FieldFault,
  type ReportHead,
  type ReportReader,
  type ReportResult,
  TEXT_LIMITS,
} from './model.ts';
import type { StoryLinks } from './story-links.ts';
import { addProperty, boundedField } from './text.ts';
import {
  type JsonDocument,
  objectOf,
  parametersOf,
  readTime,
  rfc3339,
  wholeItems,
} from './values.ts';

/** `ParseErrorCode.InvalidSymbol` of jsonc-parser, a const enum that isolated modules cannot read. */
const INVALID_SYMBOL = 1;

export function createJsonReader(
  context: ReaderContext,
  declared: 'ctrf' | 'pqrs' | 'json',
): ReportReader {
  const { limits, problems } = context;
  const chunks: Uint8Array[] = [];
  let left = limits.jsonBytes;
  let isBeyond = false;
  const reader: ReportReader = {
    format: declared === 'json' ? 'pqrs' : declared,
    head: emptyHead(),
    runFields: {},
    write(chunk) {
      isBeyond ||= chunk.length > left;
      // Chunks may be views of a buffer that is used again.
      chunks.push(chunk.slice(0, left));
      left -= Math.min(chunk.length, left);
    },
    async end() {
      if (isBeyond)
        problems.add('too_large', `more than ${limits.jsonBytes} bytes: the rest is not read`);
      const document = documentOf(new TextDecoder().decode(Buffer.concat(chunks)));
      chunks.length = 0;
      if (document === undefined) return;
      if (declared === 'json' && isCtrf(document.value)) reader.format = 'ctrf';
      if (reader.format === 'ctrf') reader.head = readCtrf(document, context);
      else Object.assign(reader, await readPqrsReport(document, context));
    },
  };
  return reader;

  function documentOf(text: string): JsonDocument | undefined {
    if (/\S/.test(text)) {
      try {
        return { value: JSON.parse(text), isCut: false };
      } catch {
        return upToFault(text);
      }
    }
    problems.add('cut_off', 'the report is empty');
    return undefined;
  }

  function upToFault(text: string): JsonDocument | undefined {
    try {
      const errors: ParseError[] = [];
      parse(text, errors, { disallowComments: true });
      const [fault] = errors;
      const { offset, length } = fault ?? { offset: text.length, length: 0 };
      const isAtEnd = offset + length >= text.trimEnd().length && fault?.error !== INVALID_SYMBOL;
      const good = text.slice(0, offset);
      const at = { line: good.split('\n').length };
      if (isAtEnd) problems.add('cut_off', 'the report ends before its end', at);
      else {
        const what = fault ? printParseErrorCode(fault.error) : 'a character';
        problems.add('not_well_formed', `not JSON from here on: ${what}`, at);
      }
      const value: unknown = parse(good);
      return value === undefined ? undefined : { value, isCut: true };
    } catch {
      // Nested too deep to be read.
      problems.add('not_well_formed', 'not JSON');
      return undefined;
    }
  }
}

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
