// Gates: what stands in the way of a release, whatever is known of the stories.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { COVERAGE_STATUSES } from '../../src/assurance/coverage/model.ts';
import { type GateFacts, reasonsOf } from '../../src/assurance/gate/rules.ts';
import type { GateRules } from '../../src/requirements/projects/gates.ts';
import { anyCoverage, wholeOf } from './any-coverage.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

describe('a gate [PQRS-29]', () => {
  test('is open only where no story of its scope has a status to fail on', () => {
    const seen = new Set<string>();
    const anyAsked = fc.record({
      parts: anyCoverage,
      failOn: fc.subarray([...COVERAGE_STATUSES]),
      scope: fc.constantFrom(undefined, ['S'], ['BELOW'], ['S', 'BELOW']),
    });
    fc.assert(
      fc.property(anyAsked, ({ parts, failOn, scope }) => {
        const state = makeCovered(wholeOf(parts));
        const isIn = (id: string) => scope === undefined || scope.some((one) => one === id);
        const reasons = reasonsOf(state, { failOn }, {}, scope && isIn);
        const counted = state.coverage().stories.filter(({ storyId }) => isIn(storyId));
        const failing = counted.filter(({ status }) => failOn.includes(status));
        const named = reasons.flatMap(({ storyId, rule }) => (storyId ? `${storyId} ${rule}` : []));
        const wanted = failing.map(({ storyId, status }) => `${storyId} ${status}`);
        expect(named.sort()).toEqual(wanted.sort());
        if (counted.length === 0) expect(reasons.map(({ rule }) => rule)).toEqual(['no_stories']);
        if (reasons.length === 0) expect(failing).toEqual([]);
        for (const { rule, why, source, storyId } of reasons) {
          seen.add(rule);
          expect(why).toMatch(/^\S.*\.$/);
          expect(source === null).toBe(storyId === null);
        }
        if (reasons.length === 0) seen.add('open');
      }),
      { numRuns: 2000 },
    );
    const general = ['open', 'no_stories', 'no_results'];
    expect([...seen].sort()).toEqual([...COVERAGE_STATUSES, ...general].sort());
  });

  const passed = { status: 'passed' } as const;
  const failed = { status: 'failed' } as const;
  const blocker = { id: 'iss_1', number: 1, title: 'x', severity: 'blocker', untrusted: true };
  const triaged = { ...blocker, status: 'triaged' };
  const error: NonNullable<GateFacts['errors']>[number] = {
    code: 'dangling_reference',
    path: 'a.md',
    line: 3,
    itemId: 'A',
    detail: 'It is.',
  };
  const holding: MadeCoverage = {
    nodes: ['A', 'B', { id: 'R', status: 'rejected' }],
    tests: [
      { key: 'a', storyIds: ['A'], result: passed },
      { key: 'b', storyIds: ['B'], result: passed },
    ],
  };
  const failing: MadeCoverage = {
    ...holding,
    tests: [...holding.tests!.slice(1), { key: 'a', storyIds: ['A'], result: failed }],
  };
  const flaking = { flakyRates: new Map([[0, 0.2]]) };
  const withC = { ...holding, nodes: ['A', 'B', 'C'] };
  const blockedA = { ...holding, issues: [{ ...triaged, storyId: 'A' }] };
  const untriagedA = { ...holding, issues: [{ ...blocker, status: 'open', storyId: 'A' }] };
  const judgedA = (on?: 'then') =>
    ({ ...holding, verdicts: [{ storyId: 'A', on }] }) as MadeCoverage;
  const onFile = { errors: [{ ...error, itemId: null }] };
  const blockers: GateRules = { failOn: ['blockers'] };
  const verdicts: GateRules = { failOn: ['suspect_verdicts'] };
  const then = (result: unknown) => ({ resultThen: () => result as never });

  test.each<[string, MadeCoverage, GateRules, GateFacts, string[], string[]]>([
    ['all holds', holding, {}, {}, [], []],
    ['just enough is covered', withC, { minCoverage: 0.66 }, {}, [], []],
    ['too little is covered', withC, { minCoverage: 0.67 }, {}, [], ['min_coverage']],
    ['a failure that was', failing, {}, then(failed), [], []],
    ['a failure that was none', failing, {}, then(passed), [], ['A new_failures']],
    ['a failure of a new test', failing, {}, then(undefined), [], ['A new_failures']],
    ['a new failure elsewhere', failing, {}, then(undefined), ['B'], []],
    ['a test flakes too often', holding, { maxFlakyRate: 0.1 }, flaking, [], ['A flaky_tests']],
    ['a test flakes as it may', holding, { maxFlakyRate: 0.2 }, flaking, [], []],
    ['a blocker', blockedA, blockers, { blockers: [triaged] }, [], ['A blockers']],
    ['a blocker elsewhere', blockedA, blockers, { blockers: [triaged] }, ['B'], []],
    ['a blocker of none', holding, blockers, { blockers: [triaged] }, [], ['blockers']],
    ['a blocker that is not triaged', untriagedA, blockers, {}, [], []],
    ['an error on a story', holding, {}, { errors: [error] }, ['A'], ['A audit_errors']],
    ['an error elsewhere', holding, {}, { errors: [error] }, ['B'], []],
    ['an error on a file', holding, {}, onFile, ['B'], ['audit_errors']],
    ['a verdict that holds', judgedA(), verdicts, {}, [], []],
    ['a verdict of old', judgedA('then'), verdicts, {}, [], ['A suspect_verdicts']],
    ['no story counts', holding, {}, {}, ['R'], ['no_stories']],
  ])('%s', (_name, made, rules, facts, ids, expected) => {
    const state = makeCovered(made);
    const scope = ids.length === 0 ? undefined : (id: string) => ids.includes(id);
    const reasons = reasonsOf(state, rules, facts, scope);
    expect(reasons.map(({ storyId, rule }) => [storyId, rule].filter(Boolean).join(' '))).toEqual(
      expected,
    );
  });
});
