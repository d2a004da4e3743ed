// Recording verdicts of people: for each, what is applied and why the others are not.
import type { Actor } from '../../access/caller.ts';
import { parseTime } from '../../model/time.ts';
import { invalidFields } from '../../model/validate.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { JudgedTest } from '../../store/tables/json.ts';
import { ownTest, testFingerprints } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { storyOf } from './current.ts';
import type { Outcome, ResultInput } from './model.ts';
import { coveringTests, type NewValidation, type Verdict, verdictRow } from './rows.ts';

export interface Deciding {
  state: AssuranceState;
  actor: Actor;
  now: number;
}

export class Decided {
  readonly rows: NewValidation[] = [];
  readonly outcomes: Outcome[] = [];

  refuse(storyId: string, why: string): void {
    this.outcomes.push({ storyId, applied: false, validationId: null, why });
  }

  apply(row: NewValidation, why: string): void {
    this.rows.push(row);
    this.outcomes.push({ storyId: row.storyId, applied: true, validationId: row.id, why });
  }
}

/** @throws Problem `invalid` that points at scenarios and commands that there are not, or at a time */
export function recordVerdicts(
  { state, actor, now }: Deciding,
  results: readonly ResultInput[],
): Decided {
  requireKnownTests(state, results);
  const fingerprintOf = testFingerprints(state);
  const judgedTest = (test: NonNullable<ResultInput['tests']>[number]): JudgedTest => {
    const { kind, id, fingerprint } = ownTest(state, test);
    return { kind, id, fingerprint: fingerprint ?? fingerprintOf({ kind, id }) ?? null };
  };
  const decided = new Decided();
  for (const [index, result] of results.entries()) {
    const { storyId, verdict, evidence = null, note = null } = result;
    const story = storyOf(state.effective, storyId);
    const at = result.at === undefined ? now : parseTime(`/results/${index}/at`, result.at);
    const why = whyRefused(state, story, result, at, now) ?? whyNotNext(state, result);
    if (why !== undefined || !story) {
      decided.refuse(storyId, why ?? '');
      continue;
    }
    const tests = result.tests?.map(judgedTest);
    const said: Verdict = {
      verdict,
      method: result.method ?? (tests && tests.length > 0 ? 'test' : 'inspection'),
      evidence,
      note,
      tests: tests ?? coveringTests(state, story.id),
      at,
      transferredFrom: null,
    };
    decided.apply(verdictRow(state, story, said, actor, now, result), 'It was recorded.');
  }
  return decided;
}

const MAX_ERRORS = 50;

function requireKnownTests(state: AssuranceState, results: readonly ResultInput[]): void {
  const fingerprintOf = testFingerprints(state);
  const isKnown = ({ kind, id }: { kind: string; id: string }) =>
    kind === 'command'
      ? state.commands.find(id) !== undefined
      : fingerprintOf({ kind, id }) !== null;
  const errors = results.flatMap(({ tests = [] }, index) =>
    tests.flatMap((test, at) => {
      const pointer = `/results/${index}/tests/${at}/id`;
      return isKnown(test) ? [] : { pointer, detail: `is not a ${test.kind} of this project` };
    }),
  );
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
}

function whyNotNext(
  { validationsOf }: AssuranceState,
  { storyId, replaces }: ResultInput,
): string | undefined {
  const last = validationsOf.get(storyId)?.at(-1)?.id ?? null;
  if (replaces === undefined || last === replaces) return undefined;
  return last === null
    ? 'Nobody has judged it yet: there is nothing to replace.'
    : `Its last verdict is ${last} by now.`;
}

/** Why a verdict cannot be on a story as it is here; undefined where it can. */
export function whyRefused(
  { effective }: AssuranceState,
  story: GraphNode | undefined,
  result: Pick<ResultInput, 'storyId' | 'fingerprint' | 'deepFingerprint'>,
  at: number,
  now: number,
): string | undefined {
  const { storyId, fingerprint = '', deepFingerprint = '' } = result;
  const differs = (stored: string, letter: string) =>
    stored !== '' && !(stored.startsWith(letter) && effective.under(storyId, stored) === stored);
  if (!story) return `There is no story ${storyId}.`;
  if (at > now) return 'It would have been judged in the future.';
  if (differs(fingerprint, 'f'))
    return 'The story says something else here: its fingerprint differs.';
  if (differs(deepFingerprint, 'd'))
    return 'Something that the story rests on differs here: its deep fingerprint does.';
  return undefined;
}
