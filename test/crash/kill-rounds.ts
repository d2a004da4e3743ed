// Kills the service again and again under the mixed load and starts it on the same data folder,
// without any help, holding it to all it has promised so far.
import { join } from 'node:path';
import { openClient } from '../../scripts/bench/client.ts';
import { type Ledger, newLedger } from '../../scripts/bench/ledger.ts';
import { UNLIMITED } from '../../scripts/bench/mixed.ts';
import type { Tokens } from '../../scripts/bench/mixed-actions.ts';
import { newResult, runMixed } from '../../scripts/bench/mixed-load.ts';
import {
  makeToken,
  type RunningPqrs,
  startPqrs,
  temporaryFolder,
} from '../../scripts/bench/running.ts';
import { checkDataFolder, checkThroughApi, type Findings, noFindings } from './promises.ts';
import { postReports, type ReportResult } from './report-load.ts';
import {
  batchesLeft,
  checkRunRows,
  checkRuns,
  type RunFindings,
  repeatRuns,
} from './run-promises.ts';

export interface KillPlan {
  executable: string;
  rounds: number;
  /** Actions of the load before the kill, at least and at most. */
  actions: readonly [number, number];
  connections: number;
  fileBytes: number;
  /** Lines of work that post reports beside that load, and cases of a report, at most. */
  reporters: number;
  cases: number;
  /** Reports that are recorded before the kill, at least and at most. */
  reports: readonly [number, number];
  say?(text: string): void;
}

export interface KillReport extends Findings, RunFindings {
  rounds: number;
  /** Requests that were under way at a kill. */
  lost: number;
  actions: number;
  /** Starts that were killed before they had ended. */
  killedStarts: number;
  /** The slowest start after a kill, milliseconds. */
  slowestStartMs: number;
}

/** The sweep of files begins two seconds after the start. */
const SWEPT_MS = 2700;
/** Of the older promises, so many are looked at again in each round. */
const OLD_PROMISES = 300;
const OLD_RUNS = 5;
/** The command that reports are of. */
const COMMAND = 'reported';
/** Starts that may go by until all batches of reports that were broken off are cleared away. */
const CLEARING_STARTS = 20;

/** Runs the rounds. Nothing in `broken` means that every promise was kept. */
export async function killRounds(plan: KillPlan): Promise<KillReport> {
  const { executable, say = () => {} } = plan;
  const dataDir = join(temporaryFolder(), 'data');
  const report: KillReport = {
    ...noFindings(),
    ...{ rounds: 0, lost: 0, actions: 0, killedStarts: 0, slowestStartMs: 0 },
    ...{ runs: 0, results: 0, again: 0 },
  };
  const all = newLedger();
  let tokens: Tokens | undefined;

  for (let round = 0; round < plan.rounds; round++) {
    const server = await startPqrs(executable, UNLIMITED, dataDir);
    tokens ??= {
      owner: server.token,
      widget: makeToken(executable, dataDir, 'widget:write'),
      agent: makeToken(executable, dataDir, 'agent:execute'),
    };
    const reporting = { ...plan, port: server.port, token: tokens.agent, command: COMMAND };
    if (round === 0) await addCommand(server);
    const fresh = newLedger();
    const done = newResult();
    const reported: ReportResult = { recorded: 0, complaints: [] };
    const reports = postReports(reporting, fresh.runs, reported);
    const load = runMixed({ ...plan, port: server.port, tokens, seconds: 3600 }, fresh, done);
    const enough = between(plan.actions);
    const recorded = Math.round(between(plan.reports));
    while (done.actions < enough || reported.recorded < recorded)
      await Bun.sleep(1 + Math.random() * 20);
    await server.kill();
    await reports;
    report.broken.push(...reported.complaints);
    const { actions, lost, complaints } = await load;
    report.actions += actions;
    report.lost += lost;
    report.broken.push(...complaints);

    if (round % 3 === 1) report.killedStarts += await killStart(executable, dataDir);
    const again = await startPqrs(executable, UNLIMITED, dataDir);
    const since = performance.now();
    report.slowestStartMs = Math.max(report.slowestStartMs, again.startMs);
    const older = sampleOf(all, OLD_PROMISES);
    await checkThroughApi(again, fresh, report);
    await checkThroughApi(again, older, report);
    await checkRuns(again, [...fresh.runs, ...older.runs], report);
    const missed = fresh.runs.filter(({ id }) => id === undefined);
    // Half of the senders give up.
    const repeated = missed.filter(() => Math.random() < 0.5);
    await repeatRuns(again, reporting, repeated, report);
    await checkRuns(again, repeated, report);
    append(all, fresh);
    await Bun.sleep(Math.max(0, SWEPT_MS - (performance.now() - since)));
    await stopWell(again, report);
    for (let starts = 0; batchesLeft(dataDir) > 0 && starts < CLEARING_STARTS; starts++) {
      const clearing = await startPqrs(executable, UNLIMITED, dataDir);
      await Bun.sleep(SWEPT_MS);
      await stopWell(clearing, report);
    }
    if (batchesLeft(dataDir) > 0) report.broken.push('batches of reports are never cleared away');
    checkDataFolder(dataDir, all, report);
    checkRunRows(dataDir, all.runs, report);
    askDoctor(executable, dataDir, report);
    report.rounds++;
    say(
      `round ${report.rounds}: ${actions} actions, ${lost} lost; ${all.issues.length} issues, ${all.files.length} files, ${all.logs.length} log entries, ${all.runs.length} runs promised; ${report.broken.length} broken`,
    );
    if (report.broken.length > 0) break;
  }
  return report;
}

async function addCommand({ port, token }: RunningPqrs): Promise<void> {
  const client = await openClient(port);
  const json = { key: COMMAND, argv: ['true'] };
  await client.askJson({ method: 'POST', path: '/api/test-commands', token, json }, 201);
  client.close();
}

function askDoctor(executable: string, dataDir: string, report: KillReport): void {
  const { exitCode, stdout } = Bun.spawnSync([executable, 'doctor', '--data-dir', dataDir], {
    env: { PQRS_FREE_DISK_BYTES: '0' },
  });
  if (exitCode !== 0) report.broken.push(`the doctor: ${stdout}`);
}

async function stopWell(server: RunningPqrs, report: KillReport): Promise<void> {
  const code = await server.stop();
  if (code !== 0) report.broken.push(`the server ended with ${code} when asked to`);
}

/** Starts the service and kills it in the middle of that. */
async function killStart(executable: string, dataDir: string): Promise<number> {
  const child = Bun.spawn([executable, 'serve', '--data-dir', dataDir, '--port', '0'], {
    env: {},
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await Bun.sleep(between([5, 120]));
  child.kill('SIGKILL');
  await child.exited;
  return 1;
}

function between([least, most]: readonly [number, number]): number {
  return least + Math.random() * (most - least);
}

function append(all: Ledger, more: Ledger): void {
  all.issues.push(...more.issues);
  all.files.push(...more.files);
  all.keyed.push(...more.keyed);
  all.logs.push(...more.logs);
  all.runs.push(...more.runs.filter(({ id }) => id !== undefined));
}

/** Some of the promises: issues with their files, and requests with keys. */
function sampleOf(all: Ledger, most: number): Ledger {
  const some = <T>(list: readonly T[]): T[] => {
    const part = Math.min(1, most / Math.max(1, list.length));
    return list.filter(() => Math.random() < part);
  };
  const issues = some(all.issues);
  const ids = new Set(issues.map((issue) => issue.id));
  const files = all.files.filter((file) => ids.has(file.issueId));
  const runs = all.runs.toSorted(() => Math.random() - 0.5).slice(0, OLD_RUNS);
  return { issues, files, keyed: some(all.keyed), logs: [], runs };
}
