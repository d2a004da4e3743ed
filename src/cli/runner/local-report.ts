// A report as it is read before it is sent: what failed in it, and the files that it names.
import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { createMask } from '../../masking/mask.ts';
import { NO_REPORT } from '../../quality/reports/model.ts';
import { type KeyedResult, type ReportSummary, readReport } from '../../quality/reports/read.ts';
import { isFailing } from '../../quality/runs/flaky.ts';
import { type Execution, judgeRun } from '../../quality/runs/verdict.ts';
import { UsageError } from '../command.ts';
import { findEvidence, inspectReport, NoFile, type ReportFile } from './report-file.ts';

export interface LocalReport extends ReportFile {
  mediaType: string;
  summary: ReportSummary;
  /** Those that failed or flake, or all of them. */
  results: KeyedResult[];
  hasPassed: boolean;
}

const MAX_RESULTS = 1000;

interface ReadOptions {
  root: string;
  execution: Execution;
  /** Whether all results are wanted. */
  all: boolean;
}

/** @throws UsageError where there is no report */
export async function readLocalReport(path: string, options: ReadOptions): Promise<LocalReport> {
  const file = await inspectReport(path).catch((error: Error) => {
    if (error instanceof NoFile) throw new UsageError(error.message);
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(isGone ? `there is no file ${path}` : `${path} cannot be read`);
  });
  const { mediaType } = file;
  const { root, execution, all } = options;
  const { exitCode } = execution;
  const results: KeyedResult[] = [];
  let isExecuted = exitCode !== undefined;
  for await (const part of readReport(createReadStream(path), {
    mediaType,
    root,
    exitCode,
    async onRunFields(fields) {
      isExecuted ||= fields.execution !== undefined;
      return undefined;
    },
  })) {
    if (part.type === 'results') {
      const wanted = part.results.filter((one) => all || one.flaky || isFailing(one.status));
      results.push(...wanted.slice(0, all ? wanted.length : MAX_RESULTS - results.length));
      continue;
    }
    const { summary } = part;
    if (mediaType === undefined || isNone(summary, isExecuted))
      throw new UsageError(`${path}: ${NO_REPORT}`);
    const { status } = judgeRun({ report: summary, sha256: file.sha256, execution, root });
    return { ...file, mediaType, summary, results, hasPassed: status === 'passed' };
  }
  throw new Error('a report without a summary');
}

function isNone({ problems, format, totals }: ReportSummary, isExecuted: boolean): boolean {
  if (totals.tests > 0) return false;
  return problems.some(({ code, pointer }) => {
    const isWithoutResults = format === 'pqrs' && pointer === '/results' && !isExecuted;
    return code === 'not_a_report' || (code === 'invalid_field' && isWithoutResults);
  });
}

/** What a clock of files and the steps before a first test may take. */
const SLACK_MS = 5000;

/**
 * The files that a report names, where it did not pass: by the rules of the agent, so what was there
 * before the run is none, and without the token.
 */
export async function evidenceOf(
  { path, summary, modifiedAt, hasPassed }: LocalReport,
  { startedAt }: Execution,
  { token, protectedFiles }: { token: string; protectedFiles: readonly string[] },
): Promise<File[]> {
  if (hasPassed) return [];
  const { head, format = 'none' } = summary;
  const said = Date.parse(startedAt ?? ((head.zoned && head.startedAt) || ''));
  const since = said || modifiedAt - (head.durationMs ?? 0) - SLACK_MS;
  const place = { base: dirname(await realpath(path)), cwd: await realpath(process.cwd()) };
  const found = await findEvidence({ path, format }, { ...place, since, protectedFiles });
  const mask = createMask([token]);
  return Promise.all(
    found.map(async (file) => {
      const content = createReadStream(file);
      const chunks = await Array.fromAsync(mask?.chunks(content) ?? content);
      return new File(chunks, basename(file), { type: 'application/octet-stream' });
    }),
  );
}
