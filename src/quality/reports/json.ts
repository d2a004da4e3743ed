// Reads a JSON report whole, within its limit: CTRF or our own, as its format or, where that is open,
// the document says. Of one that is cut off, what stands before the cut is read.
import { getLocation, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isCtrf, readCtrf } from './ctrf.ts';
import type { JsonDocument } from './json-values.ts';
import {
  emptyHead,
  type ReaderContext,
  type ReportFormat,
  type ReportHead,
  type ReportReader,
} from './model.ts';
import { readPqrsReport } from './pqrs-report.ts';

/** `ParseErrorCode.InvalidSymbol` of jsonc-parser, a const enum that isolated modules cannot read. */
const INVALID_SYMBOL = 1;

export function createJsonReader(
  context: ReaderContext,
  declared: 'ctrf' | 'pqrs' | 'json',
): ReportReader {
  const { limits, problems } = context;
  let chunks: Uint8Array[] = [];
  let left = limits.jsonBytes;
  let isBeyond = false;
  let format: ReportFormat = declared === 'json' ? 'pqrs' : declared;
  let head: ReportHead = emptyHead();
  let runFields: Record<string, unknown> = {};

  return {
    get format() {
      return format;
    },
    get head() {
      return head;
    },
    get runFields() {
      return runFields;
    },
    write(chunk) {
      if (isBeyond) return;
      isBeyond = chunk.length > left;
      // Chunks may be views of a buffer that is used again.
      chunks.push(chunk.slice(0, left));
      left -= Math.min(chunk.length, left);
    },
    async end() {
      const document = documentOf();
      chunks = [];
      if (document === undefined) return;
      if (declared === 'json') format = isCtrf(document.value) ? 'ctrf' : 'pqrs';
      if (format === 'ctrf') head = readCtrf(document, context);
      else ({ head, runFields } = await readPqrsReport(document, context));
    },
  };

  function documentOf(): JsonDocument | undefined {
    if (isBeyond) {
      const detail = `more than ${limits.jsonBytes} bytes: the rest is not read`;
      problems.add('too_large', detail);
    }
    const bytes = Buffer.concat(chunks);
    const [a, b] = bytes;
    const isWide = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
    const label = isWide ? (a === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
    const text = new TextDecoder(label).decode(bytes);
    if (!/\S/.test(text)) {
      problems.add('cut_off', 'the report is empty');
      return undefined;
    }
    try {
      return { value: JSON.parse(text), cutAt: undefined };
    } catch {
      return upToFault(text);
    }
  }

  /** What stands before the first fault, and where that is. */
  function upToFault(text: string): JsonDocument | undefined {
    try {
      const errors: ParseError[] = [];
      parse(text, errors, { disallowComments: true });
      const [fault] = errors;
      const end = fault?.offset ?? text.length;
      const isAtEnd = end + (fault?.length ?? 0) >= text.trimEnd().length;
      const isCut = isAtEnd && fault?.error !== INVALID_SYMBOL;
      const line = text.slice(0, end).split('\n').length;
      if (isCut) problems.add('cut_off', 'the report ends before its end', { line });
      else {
        const what = fault ? printParseErrorCode(fault.error) : 'a character';
        problems.add('not_well_formed', `not JSON from here on: ${what}`, { line });
      }
      const good = text.slice(0, end);
      const value: unknown = parse(good);
      if (value === undefined) return undefined;
      return { value, cutAt: getLocation(good, good.length).path };
    } catch {
      // Nested too deep to be read.
      problems.add('not_well_formed', 'not JSON');
      return undefined;
    }
  }
}
