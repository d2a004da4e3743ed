// A verdict as it is shown.
import { timestamp } from '../../clock.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

/** A test that a verdict rests on, with its own fingerprint at that time, as far as it had one. */
export interface JudgedTest {
  kind: string;
  id: string;
  fingerprint: string | null;
}

/** A verdict as it is shown. */
export function validationView(row: ValidationRow) {
  const { id, storyId, verdict, method, evidence, revision, fingerprint, deepFingerprint } = row;
  return {
    ...{ id, storyId, verdict, method, evidence },
    tests: JSON.parse(row.tests) as JudgedTest[],
    by: row.byKind === 'system' ? 'system' : { tokenId: row.byToken, label: row.byLabel },
    at: timestamp(row.at),
    ...{ revision, fingerprint, deepFingerprint },
    ...{ transferredFrom: row.transferredFrom, note: row.note },
  };
}
