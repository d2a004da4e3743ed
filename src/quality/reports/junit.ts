// Reads JUnit XML in all its dialects as a stream: what Ant, surefire, pytest, jest, bun and others
// write, cut off or not quite well-formed too.
import { createJunitDocument } from './junit-document.ts';
import type { ReaderContext, ReportReader } from './model.ts';
import { createXmlInput } from './xml-input.ts';

/** Starts a reader of JUnit XML; each chunk's results are emitted before `write` returns. */
export function createJunitReader(context: ReaderContext): ReportReader {
  const { problems } = context;
  const document = createJunitDocument(context);
  const input = createXmlInput(document, problems);
  let bytes = 0;
  return {
    format: 'junit',
    head: document.head,
    runFields: {},
    write: (chunk) => {
      bytes += chunk.length;
      input.write(chunk);
    },
    end: () => {
      const end = input.end();
      if (end === 'cut') {
        const detail = bytes === 0 ? 'the report is empty' : 'the report ends before its end';
        problems.error('cut_off', detail);
      }
      document.finish(end === 'whole');
    },
  };
}
