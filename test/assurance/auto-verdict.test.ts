// When the service judges by itself: each rule by an example, and a model of stories that change,
// tests that come and go, and people that judge in between.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  autoVerdict,
  type CoveringResult,
  type CoveringTarget,
  type EarlierVerdict,
} from '../../src/assurance/validation/auto-validate.ts';

/** A result of a run that no verdict knew of, by default. */
const ran = (
  status: CoveringResult['status'],
  over: Partial<CoveringResult> = {},
): CoveringResult => ({
  ...{ status, current: true, runId: 'run_1', runSeq: 2, receivedAt: 2000 },
  ...over,
});
const target = (over: Partial<CoveringTarget> = {}): CoveringTarget => ({
  ...{ required: true, suspect: false, result: ran('passed') },
  ...over,
});
const PASSED = target();
const FAILED = target({ result: ran('failed') });
const UNRUN = target({ result: undefined });

const said = (verdict: string, over: Partial<EarlierVerdict> = {}): EarlierVerdict => ({
  ...{ verdict, byKind: 'system', sameContent: true, testChanged: false },
  ...{ resultsUpTo: 1, createdAt: 1000, ...over },
});
const byPerson = (verdict: string, over: Partial<EarlierVerdict> = {}) =>
  said(verdict, { byKind: 'person', ...over });

describe('the service says that a story passed [PQRS-37]', () => {
  test('never where a test has not run, was skipped, passed for another text, or is in doubt', () => {
    expect(autoVerdict([], [])).toBeUndefined();
    expect(autoVerdict([PASSED, UNRUN], [])).toBeUndefined();
    expect(autoVerdict([PASSED, target({ result: ran('skipped') })], [])).toBeUndefined();
    expect(
      autoVerdict([PASSED, target({ result: ran('passed', { current: false }) })], []),
    ).toBeUndefined();
    expect(autoVerdict([PASSED, target({ suspect: true })], [])).toBeUndefined();
  });

  test('whether or not a scenario of it has run, but not where that did not pass', () => {
    const scenario = (result: CoveringTarget['result']) => target({ required: false, result });
    expect(autoVerdict([PASSED, scenario(undefined)], [])).toBe('passed');
    expect(autoVerdict([PASSED, scenario(ran('skipped'))], [])).toBeUndefined();
    expect(autoVerdict([scenario(undefined)], [])).toBeUndefined();
    expect(autoVerdict([scenario(ran('passed'))], [])).toBe('passed');
  });

  test('once, and again only where a test that it went by is another one now', () => {
    expect(autoVerdict([PASSED], [said('passed')])).toBeUndefined();
    expect(autoVerdict([PASSED], [byPerson('passed')])).toBeUndefined();
    expect(autoVerdict([PASSED], [said('passed', { testChanged: true })])).toBe('passed');
    expect(autoVerdict([PASSED], [byPerson('passed', { testChanged: true })])).toBe('passed');
    const failed = byPerson('failed', { testChanged: true });
    expect(autoVerdict([PASSED], [failed])).toBeUndefined();
    expect(autoVerdict([FAILED], [said('failed', { testChanged: true })])).toBeUndefined();
  });
});

describe('the service says that a story failed [PQRS-37]', () => {
  test('never by what had failed before that was said, but by what fails again', () => {
    const before = { runSeq: 1, receivedAt: 999 };
    const failed = target({ result: ran('failed', before) });
    for (const say of [said, byPerson]) {
      expect(autoVerdict([PASSED, failed], [say('passed')])).toBeUndefined();
      expect(autoVerdict([failed, FAILED], [say('passed')])).toBe('failed');
      expect(autoVerdict([failed], [say('passed', { resultsUpTo: 0 })])).toBe('failed');
    }
    // One that fails since, but for another text, adds nothing.
    const other = target({ result: ran('failed', { current: false }) });
    expect(autoVerdict([failed, other], [byPerson('passed')])).toBeUndefined();
  });

  test('of a run that came before, but that was seen only later', () => {
    const late = target({ result: ran('failed', { receivedAt: 1 }) });
    expect(autoVerdict([late], [byPerson('passed')])).toBe('failed');
  });

  test('by when a run came, where a verdict does not say which it knew of, or a place is used anew', () => {
    const failed = (receivedAt: number) =>
      target({ result: ran('failed', { receivedAt, runSeq: 1 }) });
    const passed = byPerson('passed', { resultsUpTo: null });
    expect(autoVerdict([failed(1000)], [passed])).toBeUndefined();
    expect(autoVerdict([failed(1001)], [passed])).toBe('failed');
    expect(autoVerdict([failed(1001)], [byPerson('passed', { resultsUpTo: 9 })])).toBe('failed');
  });
});

/** A story whose text changes, two tests of it that change too, and people who judge it. */
type Step =
  | { do: 'edit'; text: number }
  | { do: 'rewrite'; which: number; content: number }
  | { do: 'run'; which: number; status: 'passed' | 'failed' | 'skipped' }
  | { do: 'judge'; verdict: 'passed' | 'failed' | 'blocked' };

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('edit' as const), text: fc.nat(1) }),
    fc.record({ do: fc.constant('rewrite' as const), which: fc.nat(1), content: fc.nat(1) }),
    fc.record({
      do: fc.constant('run' as const),
      which: fc.nat(1),
      status: fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const),
    }),
    fc.record({
      do: fc.constant('judge' as const),
      verdict: fc.constantFrom('passed' as const, 'failed' as const, 'blocked' as const),
    }),
  ),
  { maxLength: 30 },
);

test('of any history, the verdicts are those that its rules allow [PQRS-37]', () => {
  fc.assert(
    fc.property(steps, (history: Step[]) => {
      let text = 0;
      type Ran = { status: 'passed' | 'failed' | 'skipped'; text: number; run: number };
      const results: (Ran | undefined)[] = [undefined, undefined];
      let runs = 0;
      // What the tests are in the sources, and what of that is known: by their results.
      const written = [0, 0];
      let known = [0, 0];
      type Given = { verdict: string; byKind: string; text: number; tests: number[]; upTo: number };
      const verdicts: Given[] = [];
      const isChanged = ({ tests }: Given) =>
        tests.some((content, which) => content !== known[which]);
      const ask = () =>
        autoVerdict(
          results.map((result) =>
            target({
              result:
                result &&
                ran(result.status, {
                  ...{ current: result.text === text, runSeq: result.run, receivedAt: 0 },
                }),
            }),
          ),
          verdicts.map((one) => ({
            ...{ ...one, sameContent: one.text === text, testChanged: isChanged(one) },
            ...{ resultsUpTo: one.upTo, createdAt: 0 },
          })),
        );
      for (const step of history) {
        if (step.do === 'edit') text = step.text;
        if (step.do === 'rewrite') written[step.which] = step.content;
        if (step.do === 'judge') {
          const given = { verdict: step.verdict, byKind: 'person', text, tests: known };
          verdicts.push({ ...given, upTo: runs });
        }
        if (step.do !== 'run') continue;
        runs += 1;
        results[step.which] = { status: step.status, text, run: runs };
        known = known.with(step.which, written[step.which] ?? 0);
        const onThis = verdicts.findLast((one) => one.text === text);
        const verdict = ask();
        const allPass = results.every((one) => one?.status === 'passed' && one.text === text);
        const upTo = onThis?.upTo ?? 0;
        const oneFails = results.some(
          (one) => one?.status === 'failed' && one.text === text && one.run > upTo,
        );
        if (verdict === 'passed') expect(allPass).toBe(true);
        if (verdict === 'failed') {
          expect(oneFails).toBe(true);
          expect(onThis?.verdict).toBe('passed');
        }
        const stands = onThis?.byKind === 'person' && onThis.verdict !== 'passed';
        if (stands) expect(verdict).toBeUndefined();
        // What is due is said.
        const last = verdicts.at(-1);
        const isSaid = last?.text === text && last.verdict === 'passed' && !isChanged(last);
        if (allPass && !stands && !isSaid) expect(verdict).toBe('passed');
        if (oneFails && onThis?.verdict === 'passed') expect(verdict).toBe('failed');
        if (verdict === undefined) continue;
        verdicts.push({ verdict, byKind: 'system', text, tests: known, upTo: runs });
        // Asked again, it says nothing more.
        expect(ask()).toBeUndefined();
      }
    }),
    { numRuns: 2000 },
  );
});
