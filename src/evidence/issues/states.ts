// The states of an issue and the moves between them, as data, and what a move brings with it.
import { invalid, Problem } from '../../errors.ts';
import { type IssueRow, issues } from '../../store/tables/evidence.ts';

export const STATUSES = issues.status.enumValues;
export type IssueStatus = IssueRow['status'];
export const RESOLUTIONS = issues.resolution.enumValues;

export const MOVES: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  open: ['triaged', 'in_progress', 'resolved', 'closed'],
  triaged: ['in_progress', 'resolved', 'closed'],
  in_progress: ['triaged', 'resolved', 'closed'],
  resolved: ['verified', 'closed', 'open'],
  verified: ['closed', 'open'],
  closed: ['open'],
};

export function isEnded(status: IssueStatus): boolean {
  return status === 'resolved' || status === 'verified' || status === 'closed';
}

export type IssueState = Pick<
  IssueRow,
  'status' | 'resolution' | 'duplicateOf' | 'resolvedAt' | 'fixedInBuild'
>;

export type IssueMove = {
  [Field in Exclude<keyof IssueState, 'resolvedAt'>]?: IssueState[Field] | undefined;
};

/**
 * The state after a patch. A move to `resolved` without a resolution means `fixed`; a move back to
 * `open` takes resolution, original and build of the fix away.
 * @param at - when, milliseconds since the epoch
 * @throws Problem `illegal_transition` for a move that is not in the table; `invalid` where state,
 *   resolution and original do not go together
 */
export function moveIssue(from: IssueState, move: IssueMove, at: number): IssueState {
  const { status = from.status } = move;
  if (from.status !== status && !MOVES[from.status].includes(status)) {
    throw new Problem(
      'illegal_transition',
      `An issue that is ${from.status} can become ${MOVES[from.status].join(', ')}, not ${status}.`,
      { errors: [{ pointer: '/status', detail: `cannot become ${status} from ${from.status}` }] },
    );
  }
  if (!isEnded(status)) {
    for (const field of ['resolution', 'duplicateOf', 'fixedInBuild'] as const) {
      if (move[field]) throw invalid(`/${field}`, `an issue that is ${status} has none`);
    }
    return { status, resolution: null, duplicateOf: null, resolvedAt: null, fixedInBuild: null };
  }
  const isFix = status === 'resolved' && from.status !== 'resolved';
  const { resolution = from.resolution ?? (isFix ? 'fixed' : null) } = move;
  const { duplicateOf = from.duplicateOf, fixedInBuild = from.fixedInBuild } = move;
  if (resolution === null)
    throw invalid('/resolution', `is required for an issue that is ${status}`);
  const isDuplicate = resolution === 'duplicate';
  if (isDuplicate && duplicateOf === null)
    throw invalid('/duplicateOf', 'is required for the resolution duplicate');
  if (!isDuplicate && move.duplicateOf)
    throw invalid('/duplicateOf', 'goes with the resolution duplicate alone');
  return {
    status,
    resolution,
    duplicateOf: isDuplicate ? duplicateOf : null,
    resolvedAt: from.resolvedAt ?? at,
    fixedInBuild,
  };
}
