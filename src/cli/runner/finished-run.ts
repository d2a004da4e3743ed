// Puts together what is known when a command has ended, and keeps it in the run's own folder until it
// is submitted: the report as it was then, the console, the files that the report names.
import { createReadStream } from 'node:fs';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Mask } from '../../masking/mask.ts';
import type { ConsoleLog } from './console-log.ts';
import { findEvidence, type NamedFile } from './evidence.ts';
import { expectedFiles } from './expected-files.ts';
import type { WorkFolder } from './item-paths.ts';
import { judgeReport } from './judge-report.ts';
import { type OneResult, reportOfOne } from './own-report.ts';
import { inspectReport, mediaTypeOfFormat, NoFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';
import type { Finished, SpooledFile } from './state-file.ts';
import { nameOf, type SuiteItem } from './suite.ts';

export interface Ended {
  item: SuiteItem;
  /** Of the run, for what is kept. */
  folder: string;
  /** Where the report was to be; null where the command leaves none, or never came to run. */
  reportPath: string | null;
  /** Null where it never came to run. */
  cwd: string | null;
  work: WorkFolder;
  /** Takes out what must not be in anything that is sent; undefined where there is nothing. */
  mask: Mask | undefined;
  exitCode: number | null;
  signal: string | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  finishedAt: number;
  /** The one result, where the command leaves no report; null where it never came to run. */
  result: Pick<OneResult, 'status' | 'message'> | null;
  console: ConsoleLog;
}

/** Bytes of the console that go into the run itself. */
const TAIL_BYTES = 8 * 1024;

/** Makes what is to be submitted of a command that has ended. */
export async function finishRun(ended: Ended): Promise<Finished> {
  const { item, cwd, exitCode, signal, startedAt, finishedAt, console, folder } = ended;
  const report = await keepReport(ended);
  const execution: Finished['execution'] = {
    ...{ exitCode, signal },
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    reportSha256: report?.sha256 ?? null,
    reportModifiedAt: report?.modifiedAt ?? null,
    expectedFiles: report?.isOwn === false && cwd !== null ? await expectedFiles(item, cwd) : null,
    consoleTail: console.tail(TAIL_BYTES),
  };
  const head =
    cwd === null
      ? { commit: undefined, branch: undefined }
      : await readSourceState(cwd, process.env);
  const status = await judgeReport(report, execution, cwd ?? ended.work.path);
  const files = status === 'passed' ? [] : await keepEvidence(ended, report);
  return {
    execution,
    report: report && spooled(report, `${folder}/${basename(report.path)}`),
    files: [...(status === 'passed' ? [] : [await keepConsole(folder, console)]), ...files],
    notes: console.notes(),
    root: cwd,
    commit: head.commit ?? null,
    branch: head.branch ?? null,
  };
}

interface KeptReport {
  path: string;
  /** As the command named it. */
  name: string;
  bytes: number;
  sha256: string;
  mediaType: string;
  /** Null for one of the agent's own making. */
  modifiedAt: string | null;
  isOwn: boolean;
}

async function keepReport(ended: Ended): Promise<KeptReport | null> {
  const { item, folder, reportPath, startedAt, finishedAt, result } = ended;
  const { format } = item.report;
  const path = join(folder, 'report');
  if (reportPath === null) {
    if (result === null) return null;
    const storyIds = item.commandId === null ? item.storyIds : [];
    const durationMs = finishedAt - startedAt;
    await writeFile(path, reportOfOne({ name: nameOf(item), durationMs, storyIds, ...result }), {
      mode: 0o600,
    });
    const { bytes, sha256 } = await inspectReport(path);
    const mediaType = mediaTypeOfFormat('json');
    return {
      ...{ path, name: 'report.json', bytes, sha256, mediaType },
      modifiedAt: null,
      isOwn: true,
    };
  }
  const found = await inspect(ended, reportPath, path).catch((error: Error) => {
    if (error instanceof NoFile) ended.console.note(error.message);
    return undefined;
  });
  if (found === undefined) return null;
  return {
    ...{ path, name: basename(reportPath), bytes: found.bytes, sha256: found.sha256 },
    mediaType: mediaTypeOfFormat(format === 'none' ? 'json' : format),
    modifiedAt: new Date(found.modifiedAt).toISOString(),
    isOwn: false,
  };
}

/** @throws NoFile where a link is in the place of the report, or of a folder above it */
async function inspect({ mask }: Ended, reportPath: string, to: string) {
  if ((await realpath(reportPath)) !== reportPath) throw new NoFile(reportPath, true);
  return inspectReport(reportPath, to, mask);
}

async function keepConsole(folder: string, console: ConsoleLog): Promise<SpooledFile> {
  const path = join(folder, 'console.log');
  const bytes = console.bytes();
  await writeFile(path, bytes, { mode: 0o600 });
  return { path, name: 'console.log', mediaType: 'text/plain', bytes: bytes.length };
}

async function keepEvidence(
  { item, cwd, reportPath, folder, work, startedAt, mask }: Ended,
  report: KeptReport | null,
): Promise<SpooledFile[]> {
  if (report === null || report.isOwn || cwd === null || reportPath === null) return [];
  const named = await findEvidence(
    { path: report.path, format: item.report.format },
    {
      ...{ base: dirname(reportPath), cwd, since: startedAt },
      protectedFiles: work.protectedFiles,
    },
  );
  const kept = await Promise.all(
    named.map((file, at) => keepFile(file, `${folder}/evidence-${at}`, mask)),
  );
  return kept.filter((file) => file !== undefined);
}

async function keepFile(
  file: NamedFile,
  path: string,
  mask: Mask | undefined,
): Promise<SpooledFile | undefined> {
  const { name, mediaType } = file;
  try {
    const content = createReadStream(file.path);
    await writeFile(path, mask?.chunks(content) ?? content, { mode: 0o600 });
    const { size: bytes } = await stat(path);
    return { path, name, mediaType, bytes };
  } catch {
    // One that has gone or cannot be read is no evidence, and no reason to lose the run.
    return undefined;
  }
}

function spooled({ name, mediaType, bytes }: KeptReport, path: string): SpooledFile {
  return { path, name, mediaType, bytes };
}
