// Whether what verdicts are to go by is there. Of tests nobody can say: they may be reported yet.
import type { FieldError } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import type { AssuranceState } from '../state/state.ts';
import type { ResultInput } from '../validation/model.ts';
import { testFingerprints } from './test-fingerprints.ts';

const ERRORS_SHOWN = 50;

/** @throws Problem `invalid` that points at the scenarios and commands that there are not */
export function requireKnownTests(state: AssuranceState, results: readonly ResultInput[]): void {
  const fingerprintOf = testFingerprints(state);
  const errors: FieldError[] = [];
  for (const [index, { tests = [] }] of results.entries()) {
    for (const [at, { kind, id }] of tests.entries()) {
      const isThere =
        kind === 'command'
          ? state.commands.find(id) !== undefined
          : kind === 'test' || fingerprintOf({ kind, id }) !== null;
      if (isThere) continue;
      const detail = `is not a ${kind} of this project`;
      errors.push({ pointer: `/results/${index}/tests/${at}/id`, detail });
      if (errors.length === ERRORS_SHOWN) throw invalidFields(errors);
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
}
