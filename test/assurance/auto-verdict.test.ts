// When the service judges by itself: each rule by an example, and a model of stories that change,
// tests that come and go, and people that judge in between.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  autoVerdict,
  type CoveringTarget,
  type EarlierVerdict,
} from '../../src/assurance/auto-verdict.ts';

const target = (over: Partial<CoveringTarget> = {}): CoveringTarget => ({
  ...{ required: true, suspect: false, result: { status: 'passed', current: true } },
  ...over,
});
const PASSED = target();
const FAILED = target({ result: { status: 'failed', current: true } });
const UNRUN = target({ result: undefined });

const said = (verdict: string, over: Partial<EarlierVerdict> = {}): EarlierVerdict => ({
  ...{ verdict, byKind: 'system', sameContent: true, testChanged: false },
  ...over,
});
const byPerson = (verdict: string, over: Partial<EarlierVerdict> = {}) =>
  said(verdict, { byKind: 'person', ...over });

describe('the service says that a story passed [PQRS-37]', () => {
  test('where every test of it passed on what it says today', () => {
    expect(autoVerdict([PASSED, PASSED], [])).toBe('passed');
    expect(autoVerdict([PASSED], [said('passed', { sameContent: false })])).toBe('passed');
    expect(autoVerdict([PASSED], [said('failed')])).toBe('passed');
    expect(autoVerdict([PASSED], [byPerson('failed', { sameContent: false })])).toBe('passed');
  });

  test('never where a test has not run, was skipped, passed for another text, or is in doubt', () => {
    expect(autoVerdict([], [])).toBeUndefined();
    expect(autoVerdict([PASSED, UNRUN], [])).toBeUndefined();
    expect(
      autoVerdict([PASSED, target({ result: { status: 'skipped', current: true } })], []),
    ).toBeUndefined();
    expect(
      autoVerdict([PASSED, target({ result: { status: 'passed', current: false } })], []),
    ).toBeUndefined();
    expect(autoVerdict([PASSED, target({ suspect: true })], [])).toBeUndefined();
  });

  test('whether or not a scenario of it has run, but not where that did not pass', () => {
    const scenario = (result: CoveringTarget['result']) => target({ required: false, result });
    expect(autoVerdict([PASSED, scenario(undefined)], [])).toBe('passed');
    expect(
      autoVerdict([PASSED, scenario({ status: 'skipped', current: true })], []),
    ).toBeUndefined();
    expect(autoVerdict([scenario(undefined)], [])).toBeUndefined();
    expect(autoVerdict([scenario({ status: 'passed', current: true })], [])).toBe('passed');
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
  test('where a test fails after it was said to have passed, by whom ever', () => {
    expect(autoVerdict([PASSED, FAILED], [said('passed')])).toBe('failed');
    expect(autoVerdict([FAILED], [byPerson('passed')])).toBe('failed');
    expect(
      autoVerdict([target({ result: { status: 'broken', current: true } })], [said('passed')]),
    ).toBe('failed');
  });

  test('never where nobody said so of this text, or the test failed for another one', () => {
    expect(autoVerdict([FAILED], [])).toBeUndefined();
    expect(autoVerdict([FAILED], [said('passed', { sameContent: false })])).toBeUndefined();
    expect(autoVerdict([FAILED], [said('failed')])).toBeUndefined();
    expect(
      autoVerdict([target({ result: { status: 'failed', current: false } })], [said('passed')]),
    ).toBeUndefined();
  });
});

describe('what a person said of the same text [PQRS-37]', () => {
  test('stands where it is not that it passed, whatever was said of other texts since', () => {
    for (const verdict of ['failed', 'blocked', 'inconclusive']) {
      expect(autoVerdict([PASSED], [byPerson(verdict)])).toBeUndefined();
      expect(
        autoVerdict([PASSED], [byPerson(verdict), said('passed', { sameContent: false })]),
      ).toBeUndefined();
    }
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
      const results: ({ status: 'passed' | 'failed' | 'skipped'; text: number } | undefined)[] = [
        undefined,
        undefined,
      ];
      // What the tests are in the sources, and what of that is known: by their results.
      const written = [0, 0];
      let known = [0, 0];
      const verdicts: { verdict: string; byKind: string; text: number; tests: number[] }[] = [];
      const isChanged = ({ tests }: (typeof verdicts)[0]) =>
        tests.some((content, which) => content !== known[which]);
      const ask = () =>
        autoVerdict(
          results.map((result) =>
            target({
              result: result && { status: result.status, current: result.text === text },
            }),
          ),
          verdicts.map((one) => ({
            ...{ ...one, sameContent: one.text === text, testChanged: isChanged(one) },
          })),
        );
      for (const step of history) {
        if (step.do === 'edit') text = step.text;
        if (step.do === 'rewrite') written[step.which] = step.content;
        if (step.do === 'judge') {
          verdicts.push({ verdict: step.verdict, byKind: 'person', text, tests: known });
        }
        if (step.do !== 'run') continue;
        results[step.which] = { status: step.status, text };
        known = known.with(step.which, written[step.which] ?? 0);
        const onThis = verdicts.findLast((one) => one.text === text);
        const verdict = ask();
        const allPass = results.every((one) => one?.status === 'passed' && one.text === text);
        const oneFails = results.some((one) => one?.status === 'failed' && one.text === text);
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
        verdicts.push({ verdict, byKind: 'system', text, tests: known });
        // Asked again, it says nothing more.
        expect(ask()).toBeUndefined();
      }
    }),
    { numRuns: 2000 },
  );
});
