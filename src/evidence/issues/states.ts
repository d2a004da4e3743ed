// The states of an issue and the moves between them, as data, and what a move brings with it.
import { invalid, Problem } from '../../errors.ts';

export const STATUSES = [
  'open',
  'triaged',
  'in_progress',
  'resolved',
  'verified',
  'closed',
] as const;
export type IssueStatus = (typeof STATUSES)[number];

export const RESOLUTIONS = ['fixed', 'duplicate', 'wont_fix', 'invalid'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const MOVES: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  open: ['triaged', 'in_progress', 'resolved', 'closed'],
  triaged: ['in_progress', 'resolved', 'closed'],
  in_progress: ['triaged', 'resolved', 'closed'],
  resolved: ['verified', 'closed', 'open'],
  verified: ['closed', 'open'],
  closed: ['open'],
};

const ENDED: ReadonlySet<IssueStatus> = new Set(['resolved', 'verified', 'closed']);

export function isEnded(status: IssueStatus): boolean {
  return ENDED.has(status);
}

export interface IssueState {
  status: IssueStatus;
  resolution: Resolution | null;
  duplicateOf: string | null;
  /** Milliseconds since the epoch. */
  resolvedAt: number | null;
  fixedInBuild: string | null;
}

export interface IssueMove {
  status?: IssueStatus | undefined;
  resolution?: Resolution | null | undefined;
  duplicateOf?: string | null | undefined;
  fixedInBuild?: string | null | undefined;
}

/**
 * The state after a patch. A move to `resolved` without a resolution means `fixed`; a move back to
 * `open` takes resolution, original and build of the fix away.
 *
 * @param at - when, milliseconds since the epoch
 * @throws Problem `illegal_transition` for a move that is not in the table; `invalid` where state,
 *   resolution and original do not go together
 */
export function moveIssue(from: IssueState, move: IssueMove, at: number): IssueState {
  const status = move.status ?? from.status;
  requireMove(from.status, status);
  if (!isEnded(status)) return unresolved(status, move);
  const resolution = resolutionOf(from, move, status);
  const original = move.duplicateOf === undefined ? from.duplicateOf : move.duplicateOf;
  if (resolution === 'duplicate' && original === null) {
    throw invalid('/duplicateOf', 'is required for the resolution duplicate');
  }
  if (resolution !== 'duplicate' && move.duplicateOf) {
    throw invalid('/duplicateOf', 'goes with the resolution duplicate alone');
  }
  return {
    status,
    resolution,
    duplicateOf: resolution === 'duplicate' ? original : null,
    resolvedAt: from.resolvedAt ?? at,
    fixedInBuild: move.fixedInBuild === undefined ? from.fixedInBuild : move.fixedInBuild,
  };
}

/** @throws Problem `illegal_transition` */
function requireMove(from: IssueStatus, to: IssueStatus): void {
  if (from === to || MOVES[from].includes(to)) return;
  throw new Problem(
    'illegal_transition',
    `An issue that is ${from} can become ${MOVES[from].join(', ')}, not ${to}.`,
    {
      errors: [{ pointer: '/status', detail: `cannot become ${to} from ${from}` }],
    },
  );
}

function resolutionOf(from: IssueState, move: IssueMove, status: IssueStatus): Resolution {
  const asked = move.resolution === undefined ? from.resolution : move.resolution;
  if (asked !== null) return asked;
  if (move.resolution !== null && status === 'resolved' && from.status !== 'resolved')
    return 'fixed';
  throw invalid('/resolution', `is required for an issue that is ${status}`);
}

function unresolved(status: IssueStatus, move: IssueMove): IssueState {
  if (move.resolution) throw invalid('/resolution', `an issue that is ${status} has none`);
  if (move.duplicateOf) throw invalid('/duplicateOf', `an issue that is ${status} has none`);
  if (move.fixedInBuild) throw invalid('/fixedInBuild', `an issue that is ${status} has none`);
  return { status, resolution: null, duplicateOf: null, resolvedAt: null, fixedInBuild: null };
}
