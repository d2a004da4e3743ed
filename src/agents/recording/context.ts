// What is known of a run before its report is read: the claim that it is of, its command, the state of
// the requirements that it is held against, and the values that must not be stored of it.
import { invalid, Problem } from '../../errors.ts';
import type { Lent } from '../../masking/body.ts';
import { findCommand, getCommand } from '../../quality/commands/rows.ts';
import type { RunFields } from '../../quality/runs/fields.ts';
import { type PinnedState, pinnedState } from '../../quality/runs/pins.ts';
import type { Db } from '../../store/database.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import { leasedValues } from '../credentials.ts';
import { type Claim, claimForReport } from '../runs/write.ts';

export interface RunContext {
  fields: RunFields;
  claim: Claim | undefined;
  /** The run of the claim as it was when its report came. */
  state: RunStateRow | undefined;
  command: TestCommandRow | undefined;
  pinned: PinnedState;
  lent: Lent | undefined;
}

export interface Submitter {
  projectId: string;
  tokenId: string;
  now: number;
}

export async function runContext(
  agents: Agents,
  { projectId, tokenId, now }: Submitter,
  fields: RunFields,
): Promise<RunContext> {
  const { read } = agents.database;
  const { runId, attempt, lease, revision } = fields;
  // The three go together.
  const claim =
    runId && attempt && lease ? { projectId, tokenId, runId, attempt, lease } : undefined;
  const state = claim && (await claimForReport(read, claim, now)).run;
  const leaseId = state?.leaseId;
  return {
    fields,
    claim,
    state,
    command: await commandOf(read, projectId, fields, state),
    pinned: await pinnedState(agents, projectId, { revision, claim: state }).catch((error) => {
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
