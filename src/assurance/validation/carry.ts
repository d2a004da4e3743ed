// Carrying verdicts over to what stories say today: whatever was said is said again, never lifted.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { ownTest, testFingerprints } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { matchesCurrent, standingOf, storyOf } from './current.ts';
import { renamedTo, type TransferItem } from './dispositions.ts';
import { Decided, type Deciding } from './record.ts';
import { type Verdict, verdictRow } from './rows.ts';

const SURE: ReadonlySet<string> = new Set(['transferable', 'restored', 'renamed']);
const DOUBTFUL: ReadonlySet<string> = new Set(['suspect', 'suspect_test']);

/**
 * @param items - of the transfer to the effective graph
 * @param storyIds - those asked for; undefined for all that can be carried
 */
export function carryVerdicts(
  { state, actor, now }: Deciding,
  items: readonly TransferItem[],
  storyIds: readonly string[] | undefined,
  acceptSuspect: boolean,
): Decided {
  const decided = new Decided();
  const byId = new Map<string, TransferItem>();
  for (const item of items) byId.set(item.storyId, item).set(renamedTo(item) ?? item.storyId, item);
  const carriable = items.filter(
    ({ disposition }) => SURE.has(disposition) || DOUBTFUL.has(disposition),
  );
  const asked = storyIds ? storyIds.map((id) => byId.get(id) ?? id) : carriable;
  for (const item of new Set(asked)) {
    if (typeof item === 'string') {
      decided.refuse(item, `There is no story ${item}.`);
      continue;
    }
    const { storyId, validation } = item;
    const id = renamedTo(item) ?? storyId;
    const story = storyOf(state.effective, id);
    const why = `${item.disposition}: ${item.why}`;
    const against = whyNotCarried(state, item, id, acceptSuspect);
    if (against !== undefined || !validation || !story) decided.refuse(storyId, against ?? why);
    else {
      const said = saidAgain(state, validation);
      decided.apply(verdictRow(state, story, said, actor, now, validation), why);
    }
  }
  return decided;
}

/** Who carries it has not judged the story: what has failed since it was first given is news. */
function saidAgain(state: AssuranceState, validation: ValidationRow): Verdict {
  const { id, verdict, method, evidence, note, at, byKind, resultsUpTo } = validation;
  const tests = validation.tests.flatMap((test) => {
    const today = testFingerprints(state)(test);
    if (today === null) return [];
    return { ...ownTest(state, test), fingerprint: today ?? test.fingerprint };
  });
  return { verdict, method, evidence, note, tests, at, byKind, resultsUpTo, transferredFrom: id };
}

function whyNotCarried(
  { effective, validationsOf }: AssuranceState,
  { storyId, disposition, validation, why }: TransferItem,
  toStory: string,
  acceptSuspect: boolean,
): string | undefined {
  const doubtful = DOUBTFUL.has(disposition);
  if (!validation || (!SURE.has(disposition) && !doubtful)) return `${disposition}: ${why}`;
  if (doubtful && !acceptSuspect) return `${disposition}: ${why} acceptSuspect would carry it.`;
  const number = effective.revision?.number ?? 0;
  if (disposition === 'transferable' && validation.revision === number)
    return `It was judged on revision ${number} already.`;
  return whySuperseded(effective, validation, validationsOf.get(storyId) ?? [], toStory);
}

type Judged = Pick<ValidationRow, 'id' | 'seq' | 'storyId' | 'fingerprint' | 'deepFingerprint'>;

/**
 * Why an earlier verdict is not to be said again: a newer one judged the same text. Where the earlier
 * one is of all that the story rests on today too, only a newer one that is as well supersedes it.
 * @param storyId - what their story is called today
 * @returns undefined where it may be said again
 */
export function whySuperseded(
  effective: Pick<Effective, 'node' | 'under'>,
  carried: Judged,
  verdicts: readonly Judged[],
  storyId: string,
): string | undefined {
  const newer = verdicts.flatMap((one) => (one.seq > carried.seq ? { ...one, storyId } : []));
  const current = newer.findLast((one) => matchesCurrent(effective, one));
  if (current) return `${current.id}, which is newer, judged what it says today.`;
  const alike = newer.findLast((one) => standingOf(effective, one) !== 'invalidated');
  if (!alike || matchesCurrent(effective, { ...carried, storyId })) return undefined;
  return `${alike.id}, which is newer, judged the same text.`;
}
