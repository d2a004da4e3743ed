// Verdicts on stories: how one stands to what its story says today, which of them holds, and their rows.

import { setImmediate } from 'node:timers/promises';
import type { Static } from '@sinclair/typebox';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { shownBy } from '../../quality/lists.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type ValidationRow, validations } from '../../store/tables/assurance.ts';
import type { JudgedTest } from '../../store/tables/json.ts';
import { standingOfTarget } from '../coverage/story-links.ts';
import { ownTest, testFingerprints } from '../results/target-results.ts';
import { type AssuranceState, chunksOf } from '../state/state.ts';
import { Validation } from './model.ts';

type Fingerprints = Pick<Effective, 'under'>;
type Judged = Pick<ValidationRow, 'storyId' | 'fingerprint' | 'deepFingerprint'>;

export type Standing = 'valid' | 'invalidated' | 'suspect';

/** A story; undefined where nothing has its id, or a section does. */
export function storyOf({ node }: Pick<Effective, 'node'>, id: string): GraphNode | undefined {
  const found = node(id);
  return found && isNormative(found) ? found : undefined;
}

export function standingOf({ under }: Fingerprints, judged: Judged): Standing {
  const { storyId, fingerprint, deepFingerprint } = judged;
  if (under(storyId, fingerprint) !== fingerprint) return 'invalidated';
  return under(storyId, deepFingerprint) === deepFingerprint ? 'valid' : 'suspect';
}

export function matchesCurrent(effective: Fingerprints, judged: Judged): boolean {
  return standingOf(effective, judged) === 'valid';
}

/** The last verdict; where it is of another text, an earlier one of today's. */
export function currentVerdict(
  effective: Fingerprints,
  verdicts: readonly ValidationRow[] | undefined,
): ValidationRow | undefined {
  const last = verdicts?.at(-1);
  if (!verdicts || !last || verdicts.length === 1 || matchesCurrent(effective, last)) return last;
  return verdicts.findLast((one) => matchesCurrent(effective, one)) ?? last;
}

export type NewValidation = typeof validations.$inferInsert;

type SaidFields = 'verdict' | 'method' | 'evidence' | 'note' | 'at' | 'tests' | 'transferredFrom';

export interface Verdict extends Pick<ValidationRow, SaidFields> {
  /** Who judged: of a carried verdict whoever did at first. */
  byKind?: string;
  /** The `seq` of the run up to which results were known: of all that are known, unless given. */
  resultsUpTo?: number | null;
}

/**
 * @param actor - who gives or carries it; null for the service itself
 * @param judged - the fingerprints that it was given under, which may be of other algorithms than today's
 */
export function verdictRow(
  { effective: { projectId, revision, under }, tests: { upTo } }: AssuranceState,
  story: GraphNode,
  { resultsUpTo = upTo, byKind, ...verdict }: Verdict,
  actor: Actor | null,
  now: number,
  judged: { fingerprint?: string | undefined; deepFingerprint?: string | undefined } = {},
): NewValidation {
  const { id: storyId } = story;
  const today = (stored = '') => (stored === '' ? undefined : under(storyId, stored));
  return {
    id: newId('val'),
    projectId,
    storyId,
    ...verdict,
    resultsUpTo,
    byKind: byKind ?? (actor ? 'person' : 'system'),
    byToken: actor?.tokenId ?? null,
    byLabel: actor?.label ?? null,
    revision: revision?.number ?? 0,
    createdAt: now,
    fingerprint: today(judged.fingerprint) ?? story.fingerprint,
    deepFingerprint: today(judged.deepFingerprint) ?? story.deepFingerprint,
  };
}

/** What verifies a story by now, with its own fingerprints: a verdict goes by it unless it says more. */
export function coveringTests(state: AssuranceState, storyId: string): JudgedTest[] {
  const fingerprintOf = testFingerprints(state);
  return (state.coverage().of(storyId)?.traces ?? []).flatMap(({ type, state: own, target }) => {
    if (type !== 'verifies' || own === 'broken') return [];
    const { kind, id } = target;
    const isRetired =
      kind !== 'scenario' &&
      standingOfTarget(state, target, state.results.of(target)) === 'retired';
    const fingerprint = fingerprintOf({ kind, id });
    if (isRetired || fingerprint === null) return [];
    return { ...ownTest(state, { kind, id }), fingerprint: fingerprint ?? null };
  });
}

const BATCH_SIZE = 50;

export async function insertVerdicts(db: Db, rows: readonly NewValidation[]): Promise<void> {
  let count = 0;
  for (const some of chunksOf(rows, BATCH_SIZE)) {
    if (count > 0 && count % 2000 === 0) await setImmediate();
    await db.insert(validations).values(some);
    count += some.length;
  }
}

export function validationView(row: ValidationRow): Static<typeof Validation> {
  const { byToken: tokenId, byLabel: label } = row;
  const by = tokenId === null ? 'system' : { tokenId, label };
  return shownBy(Validation, { ...row, by, at: timestamp(row.at) });
}
