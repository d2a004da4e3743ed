// Which bodies are no submission of a run: no report at all, or one of ours with a field that is
// wrong. A report that is cut off or not well-formed is one, and its run is broken.
import { invalid, Problem } from '../../errors.ts';
import type { ReportProblem } from '../../quality/reports/model.ts';
import type { ReceivedRun } from './body.ts';
import type { RunContext } from './claim.ts';
import type { ReadRows } from './rows.ts';

/**
 * The report of a submission; null where it has none, but says how the run went.
 *
 * @param read - what reading it gave; null for a form without one
 * @throws Problem `invalid`; `malformed_body` for a body that is to be JSON and is not
 */
export function requireReport(
  { report, form }: Pick<ReceivedRun, 'report' | 'form'>,
  { fields, claim }: Pick<RunContext, 'fields' | 'claim'>,
  read: ReadRows | null,
): ReadRows | null {
  const executed = Boolean(fields.execution);
  if (read === null || report === undefined) {
    if (executed) return null;
    throw invalid('/report', 'is required where nothing is said of the execution');
  }
  const errors = read.problems.filter(({ severity }) => severity === 'error');
  const codes = new Set(errors.map(({ code }) => code));
  const isWhole = !codes.has('cut_off') && !codes.has('not_well_formed');
  if (read.format === 'pqrs' && isWhole) {
    const wrong = errors.filter(({ code }) => code === 'invalid_field');
    if (executed && wrong.length === 1 && isWithoutResults(wrong[0])) return null;
    if (wrong.length > 0) throw wrongFields(wrong);
  }
  const cutToNothing = read.format === 'pqrs' && !isWhole;
  const isNone = isBlank(report.content) || codes.has('not_a_report') || cutToNothing;
  if (!isNone || read.totals.tests > 0 || executed || claim) return read;
  if (form) throw invalid('/report', `is no report: ${errors[0]?.detail ?? 'it is empty'}`);
  if (report.mediaType?.endsWith('json') && !codes.has('not_a_report'))
    throw new Problem('malformed_body', 'The body is not JSON.');
  const detail = `is no report: ${errors[0]?.detail ?? 'it is empty'}`;
  throw new Problem('invalid', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });
}

function isBlank(content: Uint8Array | string): boolean {
  return typeof content !== 'string' && !/\S/.test(Buffer.from(content).toString('latin1'));
}

/** Whether this is what is wrong with a report of ours that has no results, as one may that says how it went. */
export function isWithoutResults(problem: Pick<ReportProblem, 'pointer' | 'detail'> | undefined) {
  return problem?.pointer === '/results' && problem.detail === 'is required';
}

function wrongFields(problems: readonly ReportProblem[]): Problem {
  const errors = problems.map(({ pointer, detail }) => ({ pointer: pointer ?? '', detail }));
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid', `${first?.pointer}: ${first?.detail}${more}`, { errors });
}
