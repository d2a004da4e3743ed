// Puts together what is known when a command has ended, and stores it in the run's own folder until it
// is submitted: the report as it was then, the console, the files that the report names.
import { createReadStream } from 'node:fs';
import { realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import type { Mask } from '../../masking/mask.ts';
import type { ResultStatus } from '../../quality/reports/model.ts';
import { readReport } from '../../quality/reports/read.ts';
import { type Execution, judgeRun, WHOLE_COMMAND_TOOL } from '../../quality/runs/verdict.ts';
import { markOf, type WorkFolder } from './folder.ts';
import { findEvidence, inspectReport, MEDIA_TYPES, NoFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';

/** How an item ended. Where it never came to run there is neither a folder nor a report. */
export interface Outcome {
  cwd: string | null;
  exitCode: number | null;
  signal: string | null;
  /** Where the report was to be, or the one result of what leaves none. */
  report: { path: string; before: string | undefined } | OneResult | null;
}

export interface OneResult {
  status: ResultStatus;
  message: string | null;
}

export interface StoredFile {
  path: string;
  name: string;
  mediaType: string;
}

export type Finished = Awaited<ReturnType<typeof finishRun>>;

interface Running {
  item: SuiteItemView;
  folder: string;
  work: WorkFolder;
  /** Takes out what must not be in anything that is sent; undefined where there is nothing. */
  mask: Mask | undefined;
  startedAt: number;
  console: ConsoleLog;
}

const TAIL_BYTES = 8 * 1024;
const MAX_MESSAGE = 8000;

export async function finishRun(running: Running, outcome: Outcome) {
  const { item, folder, console } = running;
  const { exitCode, signal, report: from } = outcome;
  const cwd = outcome.cwd ?? running.work.path;
  const now = Date.now();
  const durationMs = Math.max(0, now - running.startedAt);
  const own = from !== null && 'status' in from ? from : undefined;
  const copy = from !== null && 'path' in from ? await copyReport(running, from) : undefined;
  const times = {
    startedAt: new Date(running.startedAt).toISOString(),
    finishedAt: new Date(now).toISOString(),
  };
  const { sha256: reportSha256 = null, modifiedAt: reportModifiedAt = null } = copy ?? {};
  const consoleTail = console.tail(TAIL_BYTES);
  const execution = { exitCode, signal, ...times, reportSha256, reportModifiedAt, consoleTail };
  const hasPassed =
    own?.status === 'passed' || (copy !== undefined && (await isPassed(copy, execution, cwd)));
  const files: StoredFile[] = [];
  if (!hasPassed) {
    const path = join(folder, 'console.log');
    await writeFile(path, console.bytes(), { mode: 0o600 });
    files.push({ path, name: 'console.log', mediaType: 'text/plain' });
    if (copy) files.push(...(await storeEvidence(running, copy, cwd)));
  }
  const source = outcome.cwd === null ? undefined : await readSourceState(cwd, process.env);
  const { commit = null, branch = null } = source ?? {};
  return {
    run: { ...times, commit, branch, root: outcome.cwd, execution },
    durationMs,
    /** Null where the command left none. */
    report: own ? await makeReport(item, folder, durationMs, own) : (copy?.report ?? null),
    files,
    notes: console.notes,
  };
}

async function makeReport(
  item: SuiteItemView,
  folder: string,
  durationMs: number,
  { status, message }: OneResult,
): Promise<StoredFile> {
  const path = join(folder, 'report');
  const one = {
    name: nameOf(item).slice(0, 1000),
    status,
    durationMs,
    message: message?.slice(0, MAX_MESSAGE),
    // A command has stories of its own.
    storyIds: item.commandId === null && item.storyIds.length > 0 ? item.storyIds : undefined,
  };
  const text = JSON.stringify({ tool: WHOLE_COMMAND_TOOL, results: [one] });
  await writeFile(path, text, { mode: 0o600 });
  return { path, name: 'report.json', mediaType: MEDIA_TYPES.json };
}

async function copyReport(
  { item, folder, mask, console }: Running,
  { path: from, before }: { path: string; before: string | undefined },
) {
  const path = join(folder, 'report');
  try {
    // A link may be in the place of the report, or of a folder above it.
    if ((await realpath(from)) !== from) throw new NoFile(`${from} is behind a link`);
    const { sha256, modifiedAt } = await inspectReport(from, path, mask);
    if ((await markOf(from)) === before) throw new NoFile(`${from} is that of before`);
    const { format } = item.report;
    const mediaType = MEDIA_TYPES[format === 'none' ? 'json' : format];
    const report: StoredFile = { path, name: basename(from), mediaType };
    return { report, from, sha256, modifiedAt: new Date(modifiedAt).toISOString() };
  } catch (error) {
    if (error instanceof NoFile) console.note(error.message);
    return undefined;
  }
}

type CopiedReport = NonNullable<Awaited<ReturnType<typeof copyReport>>>;

/** The verdict by the rules of the server: what did not pass goes with its evidence. */
async function isPassed(
  { report, sha256 }: CopiedReport,
  execution: Execution,
  root: string,
): Promise<boolean> {
  const { path, mediaType } = report;
  const { exitCode } = execution;
  for await (const part of readReport(createReadStream(path), { mediaType, root, exitCode })) {
    if (part.type === 'summary')
      return judgeRun({ report: part.summary, sha256, execution, root }).status === 'passed';
  }
  return false;
}

async function storeEvidence(
  { item, folder, work, startedAt, mask }: Running,
  { report, from }: CopiedReport,
  cwd: string,
): Promise<StoredFile[]> {
  const { protectedFiles } = work;
  const place = { base: dirname(from), cwd, since: startedAt, protectedFiles };
  const stored: StoredFile[] = [];
  const found = await findEvidence({ path: report.path, format: item.report.format }, place);
  for (const [at, file] of found.entries()) {
    const path = join(folder, `evidence-${at}`);
    try {
      const content = createReadStream(file);
      await writeFile(path, mask?.chunks(content) ?? content, { mode: 0o600 });
      stored.push({ path, name: basename(file), mediaType: 'application/octet-stream' });
    } catch {
      // One that has gone or cannot be read is no evidence, and no reason to lose the run.
    }
  }
  return stored;
}

export function nameOf({ name, argv, runId }: SuiteItemView): string {
  return name || argv.join(' ') || runId;
}

const MAX_BYTES = 1024 * 1024;

export type ConsoleLog = ReturnType<typeof createConsoleLog>;

/** The end of what a command prints, and the agent's own lines in it. */
export function createConsoleLog(max = MAX_BYTES) {
  const notes: string[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = 0;

  function joined(): Buffer {
    const all = Buffer.concat(chunks);
    const end = all.subarray(Math.max(0, all.length - max));
    dropped += all.length - end.length;
    chunks = [Buffer.from(end)];
    size = end.length;
    return end;
  }

  function write(chunk: Uint8Array): void {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    // Put together now and then: many small ones would weigh more than what they hold.
    if (size >= 2 * max || chunks.length >= 4096) joined();
  }

  return {
    notes,
    write,
    note(text: string): void {
      notes.push(text);
      const last = joined().at(-1);
      write(Buffer.from(`${last === undefined || last === 0x0a ? '' : '\n'}pqrs: ${text}\n`));
    },
    /** What is stored, with a line in front that says how much is not. */
    bytes(): Buffer {
      const end = joined();
      if (dropped === 0) return end;
      return Buffer.concat([Buffer.from(`pqrs: ${dropped} bytes before this are left out\n`), end]);
    },
    /** The last lines as plain text, at most so many bytes in UTF-8. */
    tail(bytes: number): string {
      const plain = stripVTControlCharacters(wholeCharacters(joined().subarray(-2 * bytes)))
        .replaceAll('\r\n', '\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
        .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '');
      const end = Buffer.from(plain);
      return wholeCharacters(end.subarray(Math.max(0, end.length - bytes)));
    },
  };
}

/** UTF-8 from where its first character begins. */
function wholeCharacters(bytes: Buffer): string {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString('utf8');
}
