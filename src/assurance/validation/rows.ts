// Verdicts on stories, as rows.
import { setImmediate } from 'node:timers/promises';
import type { Static } from '@sinclair/typebox';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type ValidationRow, validations } from '../../store/tables/assurance.ts';
import { standingOfTarget } from '../coverage/story-links.ts';
import { ownTest } from '../results/target-results.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import type { JudgedTest } from './model.ts';
import type { Validation } from './schemas.ts';

export type NewValidation = typeof validations.$inferInsert;

export interface Verdict
  extends Pick<
    ValidationRow,
    'verdict' | 'method' | 'evidence' | 'note' | 'at' | 'transferredFrom'
  > {
  tests: JudgedTest[];
  /** The `seq` of the run up to which results were known: of all that are known, unless given. */
  resultsUpTo?: number | null;
}

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
  const today = (stored = '') => (stored === '' ? undefined : under(storyId, stored));
  return {
    id: newId('val'),
    projectId,
    storyId,
    ...verdict,
    tests,
    resultsUpTo,
    byKind: actor ? 'person' : 'system',
    byToken: actor?.tokenId ?? null,
    byLabel: actor?.label ?? null,
    revision: revision?.number ?? 0,
    createdAt: now,
    fingerprint: today(judged.fingerprint) ?? story.fingerprint,
    deepFingerprint: today(judged.deepFingerprint) ?? story.deepFingerprint,
  };
}

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
  return {
    id: row.id,
    storyId: row.storyId,
    verdict: row.verdict as Static<typeof Validation>['verdict'],
    method: row.method as Static<typeof Validation>['method'],
    evidence: row.evidence,
    tests: row.tests,
    by: row.byKind === 'system' ? 'system' : { tokenId: row.byToken ?? '', label: row.byLabel },
    at: timestamp(row.at),
    revision: row.revision,
    fingerprint: row.fingerprint,
    deepFingerprint: row.deepFingerprint,
    transferredFrom: row.transferredFrom,
    note: row.note,
  };
}

/** Keys of tests, with those of the tests that the last verdicts rest on, which may be of no story. */
export function withJudgedTests(
  keys: ReadonlySet<string>,
  verdictsOf: AssuranceState['validationsOf'],
): ReadonlySet<string> {
  const all = new Set(keys);
  for (const verdicts of verdictsOf.values()) {
    for (const { kind, id } of verdicts.at(-1)?.tests ?? []) if (kind === 'test') all.add(id);
  }
  return all.size === keys.size ? keys : all;
}
