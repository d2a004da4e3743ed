// Reads a JSON report whole, within its limit: CTRF or our own, as its format or, where that is open,
// the document says. Of one that is cut off, what stands before the cut is read.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { Problem } from '../../errors.ts';
import { maskBody } from '../../masking/body.ts';
import { closed } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import { NewTestResult, REPORT_FIELDS, RUN_FIELDS } from '../runs/fields.ts';
import type { ReaderContext } from './collect.ts';
import { isCtrf, readCtrf } from './ctrf.ts';
import {
  emptyHead,
  type FieldFault,
  type ReportHead,
  type ReportReader,
  type ReportResult,
} from './model.ts';
import type { StoryLinks } from './story-links.ts';
import { boundedField, type JsonDocument, objectOf, parametersOf, wholeItems } from './text.ts';

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
      reader.head =
        reader.format === 'ctrf'
          ? readCtrf(document, context)
          : await readPqrsReport(document, context);
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

const checkResult = compileCheck(NewTestResult);
const HeadFields = closed({ ...REPORT_FIELDS, results: Type.Array(Type.Unknown()) });
const checkHead = compileCheck(HeadFields);

async function readPqrsReport(
  document: JsonDocument,
  { problems, emit, links, onRunFields }: ReaderContext,
): Promise<ReportHead> {
  const head = emptyHead();
  const report = objectOf(document.value);
  if (report === undefined) {
    problems.add('not_a_report', 'not an object with results', { pointer: '' });
    return head;
  }
  const isOfRun = ([name]: [string, unknown]) => Object.hasOwn(RUN_FIELDS, name);
  const { results, ...others } = report;
  const fields = Object.entries(others);
  const runFields = Object.fromEntries(fields.filter(isOfRun));
  const said = Object.fromEntries(fields.filter((field) => !isOfRun(field)));
  // Results may stand behind the place where it is cut off.
  const listed = results !== undefined ? { results } : document.isCut ? { results: [] } : {};
  const mask =
    Object.keys(runFields).length > 0
      ? await onRunFields(runFields, faultsOf(checkHead, { ...said, ...listed }))
      : undefined;
  const masked = (value: unknown, schema: TSchema) =>
    mask ? maskBody(value, [schema], mask) : value;
  const top = { ...(masked(said, HeadFields) as Static<typeof HeadFields>), ...listed };
  const faults = faultsOf(checkHead, top);
  for (const { pointer, detail } of faults) problems.add('invalid_field', detail, { pointer });
  for (const [at, given] of wholeItems(document, results).entries()) {
    const result = masked(given, NewTestResult);
    const wrong = faultsOf(checkResult, result);
    for (const { pointer, detail } of wrong)
      problems.add('invalid_field', detail, { pointer: `/results/${at}${pointer}` });
    if (wrong.length === 0) emit(resultOf(result as NewTestResult, links));
  }
  if (faults.length > 0) return head;
  head.tool = boundedField(top.tool);
  head.reportId = boundedField(top.reportId);
  head.durationMs = top.durationMs ?? null;
  return head;
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

function resultOf(result: NewTestResult, links: StoryLinks): ReportResult {
  return {
    ...result,
    suites: result.path ?? [],
    file: result.file ?? null,
    parameters: parametersOf(result.parameters),
    storyIds: result.storyIds?.map(links.given),
  };
}
