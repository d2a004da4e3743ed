// The verdict on a report before it is sent, by the rules that the server judges by: what did not
// pass goes with its evidence.
import { createReadStream } from 'node:fs';
import { readReport } from '../../quality/reports/read.ts';
import { type Execution, judgeRun, type RunStatus } from '../../quality/runs/verdict.ts';

/**
 * Judges a report file.
 *
 * @param report - null where there is none
 */
export async function judgeReport(
  report: { path: string; mediaType: string; sha256: string } | null,
  execution: Execution,
  root: string,
): Promise<RunStatus> {
  if (report === null) return 'broken';
  const { path, mediaType, sha256 } = report;
  for await (const part of readReport(createReadStream(path), { mediaType, root })) {
    if (part.type === 'summary')
      return judgeRun({ report: part.summary, sha256, execution, root }).status;
  }
  return 'broken';
}
