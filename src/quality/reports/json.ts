// Reads a JSON report whole, within its limit: CTRF or our own, as its format or, where that is open,
// the document says. Of one that is cut off, what stands before the cut is read.
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { ReaderContext } from './collect.ts';
import { isCtrf, readCtrf } from './ctrf.ts';
import type { JsonDocument } from './json-values.ts';
import { emptyHead, type ReportReader } from './model.ts';
import { readPqrsReport } from './pqrs-report.ts';

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

  /** What stands before the first fault. */
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
