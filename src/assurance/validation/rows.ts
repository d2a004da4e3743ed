// Verdicts on stories, as rows.
import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../access/caller.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { validations } from '../../store/tables/assurance.ts';
import { ownTest } from '../coverage/shared-tests.ts';
import { standingOfTarget } from '../coverage/story-links.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import type { JudgedTest } from './view.ts';

export const VERDICTS = ['passed', 'failed', 'blocked', 'inconclusive'] as const;
export const METHODS = ['test', 'inspection', 'analysis', 'demonstration'] as const;

/** What is said of a story; what it says today is put beside it. */
export interface Verdict {
  verdict: string;
  method: string;
  evidence: string | null;
  tests: JudgedTest[];
  /** When it was judged, milliseconds since the epoch. */
  at: number;
  note: string | null;
  /** The verdict that it was carried from. */
  transferredFrom: string | null;
  /** The `seq` of the run up to which results were known: of all that are known, unless told. */
  resultsUpTo?: number | null;
}

export type NewValidation = typeof validations.$inferInsert;

/**
 * A verdict on what a story says today.
 *
 * @param actor - the person; null for the service itself
 * @param judged - the fingerprints that it was given under, where they are known: they may cover less
 *   than those that are made here
 */
export function verdictRow(
  { effective: { projectId, revision, under }, tests: { upTo } }: AssuranceState,
  story: GraphNode,
  { tests, resultsUpTo = upTo, ...verdict }: Verdict,
  actor: Actor | null,
  now: number,
  judged: { fingerprint?: string | undefined; deepFingerprint?: string | undefined } = {},
): NewValidation {
  const { id: storyId } = story;
  const today = (stored: string | undefined) =>
    stored === undefined ? undefined : under(storyId, stored);
  return {
    ...{ id: newId('val'), projectId, storyId, ...verdict },
    ...{ tests: JSON.stringify(tests), resultsUpTo },
    ...{ byKind: actor ? 'person' : 'system', byToken: actor?.tokenId ?? null },
    byLabel: actor?.label ?? null,
    ...{ revision: revision?.number ?? 0, createdAt: now },
    fingerprint: today(judged.fingerprint) ?? story.fingerprint,
    deepFingerprint: today(judged.deepFingerprint) ?? story.deepFingerprint,
  };
}

/** The tests, commands and scenarios that cover a story, with their fingerprints of today. */
export function coveringTests(state: AssuranceState, storyId: string): JudgedTest[] {
  const fingerprintOf = testFingerprints(state);
  const verifying = (state.coverage().of(storyId)?.traces ?? []).filter(
    ({ type, state: own, target }) =>
      type === 'verifies' &&
      own !== 'broken' &&
      (target.kind === 'scenario' ||
        standingOfTarget(state, target, state.results.of(target)) !== 'retired'),
  );
  return verifying.flatMap(({ target: { kind, id } }) => {
    const fingerprint = fingerprintOf({ kind, id });
    return fingerprint === null
      ? []
      : { ...ownTest(state, { kind, id }), fingerprint: fingerprint ?? null };
  });
}

/** Rows that a statement inserts: each binds twenty values. */
const ROWS_AT_A_TIME = 50;
const ROWS_A_TURN = 2000;

/** Inserts verdicts, inside the caller's write; many of them let others have a turn on the way. */
export async function insertVerdicts(db: Db, rows: readonly NewValidation[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) {
    if (from > 0 && from % ROWS_A_TURN === 0) await setImmediate();
    await db.insert(validations).values(rows.slice(from, from + ROWS_AT_A_TIME));
  }
}
