// Reads a JSON report: CTRF or our own, as its format or, where that is open, the document says.
import { isCtrf, readCtrf } from './ctrf.ts';
import { createJsonInput } from './json-input.ts';
import {
  emptyHead,
  type ReaderContext,
  type ReportFormat,
  type ReportHead,
  type ReportReader,
} from './model.ts';
import { readPqrsReport } from './pqrs-report.ts';

/** Starts a reader of JSON; its results are emitted when it ends. */
export function createJsonReader(
  context: ReaderContext,
  declared: 'ctrf' | 'pqrs' | 'json',
): ReportReader {
  const input = createJsonInput(context);
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
    write: input.write,
    end: async () => {
      const document = input.end();
      if (document === undefined) return;
      if (declared === 'json') format = isCtrf(document.value) ? 'ctrf' : 'pqrs';
      if (format === 'ctrf') head = readCtrf(document, context);
      else ({ head, runFields } = await readPqrsReport(document, context));
    },
  };
}
