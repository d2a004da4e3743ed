// What is known of a run before its report is read: its claim, its command, the state of the requirements that
// it is held against, the values that must not be stored of it; and the row that is made of all that.
import type { Caller } from '../../access/caller.ts';
import { invalid, Problem } from '../../errors.ts';
import { type Lent, maskBody } from '../../masking/body.ts';
import { invalidFields } from '../../model/validate.ts';
import { type CommandReport, commandFingerprint } from '../../quality/commands/model.ts';
import { findCommand, getCommand } from '../../quality/commands/rows.ts';
import { emptyHead, type ReportHead, type ReportProblem } from '../../quality/reports/model.ts';
import type { ReportSummary } from '../../quality/reports/read.ts';
import { readTime, rfc3339 } from '../../quality/reports/text.ts';
import { executionOf, RunFields } from '../../quality/runs/fields.ts';
import { type Execution, judgeRun } from '../../quality/runs/verdict.ts';
import { effectiveAsOf } from '../../requirements/graph/effective.ts';
import { fieldsOfPrefix, fingerprintPrefix } from '../../requirements/graph/fingerprint.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Db } from '../../store/database.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { ClaimedItem, Pins } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import { leasedValues } from '../credentials.ts';
import { type Claim, claimForReport } from '../runs/write.ts';
import type { ReceivedReport } from './receive.ts';

export interface RunContext {
  fields: RunFields;
  claim: Claim | undefined;
  /** The run of the claim as it was when its report came. */
  state: RunStateRow | undefined;
  command: TestCommandRow | undefined;
  pinned: PinnedState;
  lent: Lent | undefined;
}

export type Submitter = Pick<Caller, 'projectId' | 'tokenId'>;

export async function runContext(
  agents: Agents,
  { projectId, tokenId }: Submitter,
  fields: RunFields,
): Promise<RunContext> {
  const { read } = agents.database;
  const { runId, attempt, lease, revision } = fields;
  const claim =
    runId && attempt && lease ? { projectId, tokenId, runId, attempt, lease } : undefined;
  const state = claim && (await claimForReport(read, claim)).run;
  const leaseId = state?.leaseId;
  return {
    fields,
    claim,
    state,
    command: await commandOf(read, projectId, fields, state),
    pinned: await pinnedState(agents, projectId, revision, state).catch((error) => {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw invalid('/revision', 'is not a revision of this project');
    }),
    lent: leaseId
      ? await leasedValues(agents, { tokenId, leaseId })
      : await agents.lent.of(tokenId),
  };
}

async function commandOf(
  db: Db,
  projectId: string,
  { commandId }: RunFields,
  state: RunStateRow | undefined,
): Promise<TestCommandRow | undefined> {
  const claimed = state?.commandId ?? undefined;
  if (typeof commandId !== 'string')
    return claimed === undefined ? undefined : getCommand(db, projectId, claimed);
  const named = await findCommand(db, projectId, commandId);
  if (named === undefined)
    throw invalid('/commandId', 'is neither the id nor the key of a test command of this project');
  if (claimed !== undefined && named.id !== claimed)
    throw invalid('/commandId', 'is another than that of the run that was claimed');
  return named;
}

const MAX_EXPECTED = 1000;

export type NewRun = ReturnType<typeof newRun>['row'];

export function newRun(
  { fields, state, command, pinned, lent }: RunContext,
  report: ReportSummary | null,
  sha256: string | null,
) {
  const mask = lent?.mask?.text ?? ((text: string) => text);
  const said = lent?.mask ? (maskBody(fields, [RunFields], mask) as RunFields) : fields;
  const head = report?.head ?? emptyHead();
  const item = state?.item ?? null;
  const execution = executionOf(fields);
  const { root = null } = fields;
  const { status, harnessErrors, totals } = judgeRun({ report, sha256, execution, root });
  const agent = said.agent ?? state?.agent ?? null;
  const row = {
    status,
    externalId: said.externalId || head.reportId,
    name: said.name || head.name || mask(item?.name ?? command?.name ?? 'Test run'),
    planId: state?.planId ?? null,
    suiteId: state?.suiteId ?? null,
    commandId: command?.id ?? null,
    commandFingerprint: command ? (claimedFingerprint(item) ?? command.fingerprint) : null,
    attempt: state?.attempt ?? null,
    agent: agent && {
      name: mask(agent.name),
      version: agent.version ? mask(agent.version) : null,
    },
    ...timesOf(execution, head),
    commitId: said.commit || head.commit,
    branch: said.branch || head.branch,
    environment: said.environment || head.environment,
    revision: pinned.revision,
    totals,
    harnessErrors: harnessErrors.map(({ code, detail }) => ({ code, detail: mask(detail) })),
    format: report?.format ?? null,
    tool: head.tool,
    execution: said.execution ? storedExecution(said.execution) : null,
  };
  return { row, flaky: totals.flaky > 0 };
}

function claimedFingerprint(item: ClaimedItem | null): string | undefined {
  const { kind, argv, cwd = null, report } = item ?? {};
  if (kind === undefined || argv === undefined || report === undefined) return undefined;
  return commandFingerprint({ kind, argv, cwd, report: report as CommandReport });
}

function timesOf(execution: Execution | null, head: ReportHead) {
  const startedAt = readTime(execution?.startedAt ?? head.startedAt)?.ms ?? null;
  const finishedAt = readTime(execution?.finishedAt ?? head.finishedAt)?.ms ?? null;
  const between = startedAt === null || finishedAt === null ? -1 : finishedAt - startedAt;
  return { startedAt, finishedAt, durationMs: between < 0 ? head.durationMs : between };
}

function storedExecution(execution: Execution): Execution {
  const stored = { ...execution };
  for (const name of ['startedAt', 'finishedAt', 'reportModifiedAt'] as const) {
    if (stored[name] === undefined) continue;
    const time = readTime(stored[name]);
    stored[name] = time && rfc3339(time.ms);
  }
  if (stored.expectedFiles) stored.expectedFiles = stored.expectedFiles.slice(0, MAX_EXPECTED);
  return stored;
}

/**
 * The report of a submission; null where it has none, but says how the run went. No report at all,
 * and one of ours with a wrong field, is no submission; one that is cut off or not well-formed is
 * one, and its run is broken.
 * @param read - what reading it gave; null for a form without one
 */
export function requireReport(
  { report, form }: { report: ReceivedReport | undefined; form: object | undefined },
  { fields, claim }: Pick<RunContext, 'fields' | 'claim'>,
  read: ReportSummary | null,
): ReportSummary | null {
  const executed = Boolean(fields.execution);
  if (read === null || report === undefined) {
    if (executed) return null;
    throw invalid('/report', 'is required where nothing is said of the execution');
  }
  const isOurs = read.format === 'pqrs';
  const codes = new Set(read.problems.map(({ code }) => code));
  const isCut = codes.has('cut_off') || codes.has('not_well_formed');
  const wrong = read.problems.filter(({ code }) => code === 'invalid_field');
  if (isOurs && !isCut && wrong.length > 0) {
    if (executed && wrong.length === 1 && isWithoutResults(wrong[0])) return null;
    throw invalidFields(wrong.map(({ pointer, detail }) => ({ pointer: pointer ?? '', detail })));
  }
  const isNone = isBlank(report.content) || codes.has('not_a_report') || (isOurs && isCut);
  if (!isNone || read.totals.tests > 0 || executed || claim) return read;
  if (!form && report.mediaType?.endsWith('json') && !codes.has('not_a_report'))
    throw new Problem('malformed_body', 'The body is not JSON.');
  const why = read.problems[0]?.detail ?? 'it is empty';
  throw invalid(form ? '/report' : '', `is no report: ${why}`);
}

function isBlank(content: Uint8Array | string): boolean {
  return typeof content !== 'string' && !/\S/.test(Buffer.from(content).toString('latin1'));
}

export function isWithoutResults(problem: Pick<ReportProblem, 'pointer' | 'detail'> | undefined) {
  return problem?.pointer === '/results' && problem.detail === 'is required';
}

export type PinnedState = Awaited<ReturnType<typeof pinnedState>>;

/** @param asked - the revision that the submission of a run names; its claim goes before it */
export async function pinnedState(
  { effective, graphs, database }: Requirements,
  projectId: string,
  asked: number | null | undefined,
  claim: { revision: number; overlayClock: number; pins: Pins } | undefined,
) {
  const latest = await effective.of(projectId);
  const now = latest.revision?.number ?? 0;
  const revision = claim?.revision ?? asked ?? now;
  const isLatest = revision === now && (!claim || claim.overlayClock === latest.overlayClock);
  const overlayClock = isLatest ? latest.overlayClock : (claim?.overlayClock ?? null);
  const [first] = Object.values(claim?.pins ?? {});
  const fields = (first && fieldsOfPrefix(first[0])) ?? latest.settings.normative;
  const profile = fingerprintPrefix(fields);
  const state = { revision, overlayClock, profile };
  const { node: nodeOf } = isLatest
    ? latest
    : await effectiveAsOf({ graphs, db: database.read }, latest, state);
  return {
    revision,
    /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
    overlayClock,
    profile,
    /** The pins of some stories; those that there are not are left out. */
    pinsOf(storyIds: Iterable<string>) {
      // Without a prototype: an id may be `__proto__`.
      const pins: Pins = Object.assign(Object.create(null), claim?.pins);
      for (const id of storyIds) {
        const node = pins[id] ? undefined : nodeOf(id);
        if (node && isNormative(node)) pins[id] = [node.fingerprint, node.deepFingerprint];
      }
      return pins;
    },
  };
}
