// The views of one story, its coverage, its workflow and its gaps: whatever it is linked to, they say
// the same.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { COVERAGE_STATUSES, type CoverageStatus } from '../../src/assurance/coverage/model.ts';
import { coverageFor, type GapKind, gapsOf } from '../../src/assurance/coverage/story-coverage.ts';
import { executedFacts, stageFacts } from '../../src/assurance/workflow/facts.ts';
import { type Stage, type StageName, stagesOf } from '../../src/assurance/workflow/model.ts';
import { anyCoverage as made, wholeOf } from './any-coverage.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

/** What both views say of the story S. */
function viewsOf(made: Omit<MadeCoverage, 'nodes'> & Partial<Pick<MadeCoverage, 'nodes'>>) {
  const state = makeCovered({ nodes: ['S'], ...made });
  const node = state.effective.node('S')!;
  const { stages } = stagesOf(stageFacts(state, node, []));
  const at = Object.fromEntries(stages.map((stage) => [stage.name, stage]));
  const { status, inherited } = coverageFor(state, node);
  return { status, inherited, ...(at as Record<StageName, Stage>) };
}

describe('a link that says nothing any more [PQRS-22, PQRS-30]', () => {
  test('puts no story in doubt: to a disabled command, or where all is justified', () => {
    const commands = [
      { id: 'cmd_1', state: 'disabled' as const },
      { id: 'cmd_2', storyIds: ['S'] },
    ];
    const results = { 'command cmd_2': { status: 'passed' as const, own: 'c1:cmd_2' } };
    const traces = [{ storyId: 'S', to: 'command cmd_1', old: true }];
    expect(viewsOf({ commands, results, traces })).toMatchObject({
      ...{ status: 'passing', covered: { state: 'done', missing: [] } },
    });
    expect(
      viewsOf({
        justified: [['S', 'test', 'by inspection']],
        traces: [{ storyId: 'S', to: 'file x', old: true }],
      }),
    ).toMatchObject({ status: 'justified', covered: { state: 'done', missing: [] } });
  });
});

describe('the evidence that a story is covered [PQRS-22]', () => {
  test('is what covers it: neither what is out of use nor what is gone', () => {
    const commands = [
      { id: 'cmd_1', storyIds: ['S'], state: 'disabled' as const },
      { id: 'cmd_2', state: 'archived' as const },
    ];
    const traces = ['command cmd_2', 'scenario gone'].map((to) => ({ storyId: 'S', to }));
    const { covered } = viewsOf({ commands, traces });
    expect(covered).toMatchObject({ state: 'current', evidence: [] });
    const file = { storyId: 'S', to: 'file x', type: 'implements' };
    const test = { storyId: 'S', to: 'test a' };
    expect(viewsOf({ commands, traces: [...traces, test, file] }).covered.evidence).toEqual([
      ...['trc_2', 'trc_3'],
    ]);
  });
});

/** What the stages must be for a status. */
const STAGES_OF: Record<CoverageStatus, Partial<Record<'covered' | 'executed', string[]>>> = {
  failing: {},
  uncovered: { covered: ['current'] },
  justified: { covered: ['done'] },
  suspect: { covered: ['suspect'] },
  stale: { covered: ['done'], executed: ['suspect', 'current'] },
  unexecuted: { covered: ['done'], executed: ['current'] },
  validated: { covered: ['done'], executed: ['done'] },
  passing: { covered: ['done'], executed: ['done'] },
};

/** The same where the status is that of others. */
const STAGES_INHERITED: typeof STAGES_OF = {
  ...STAGES_OF,
  failing: { executed: ['current'] },
  uncovered: { covered: ['current'], executed: ['pending'] },
  stale: { covered: ['done'], executed: ['current'] },
};

test('the two views of a story agree, whatever it is linked to [PQRS-22, PQRS-29]', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(made, (parts) => {
      const { status, inherited, ...stages } = viewsOf(wholeOf(parts));
      // Of a story that is not counted the one view says nothing, and the other that it needs nothing.
      if (parts.status === 'rejected') {
        const why = 'It is rejected: nothing has to show that it holds.';
        for (const name of ['covered', 'executed', 'validated'] as const)
          expect(stages[name]).toMatchObject({ missing: [why], evidence: [] });
        return;
      }
      if (!inherited) seen.add(status);
      const wanted = (inherited ? STAGES_INHERITED : STAGES_OF)[status];
      for (const name of ['covered', 'executed'] as const) {
        const { state, missing } = stages[name];
        expect(wanted[name] ?? [state]).toContain(state);
        expect(missing.length > 0).toBe(state !== 'done');
      }
      if (status === 'validated' && !inherited) expect(stages.validated.state).toBe('done');
    }),
    { numRuns: 2000 },
  );
  expect([...seen].sort()).toEqual([...COVERAGE_STATUSES].sort());
});

const NOT_RUN = /^The (?:test|command|scenario) (.+) (?:has not run: |ran for |has been changed )/;
const UNRUN: ReadonlySet<GapKind> = new Set(['stale_test', 'unexecuted_test']);

test('the gaps of a story tell what its workflow says has not run [PQRS-22, PQRS-29]', () => {
  const seen = new Set<string>();
  const scenarios = made.map((one) => ({ ...one, needs: ['scenario' as const], tests: [] }));
  fc.assert(
    fc.property(fc.oneof(made, scenarios), (parts) => {
      const state = makeCovered(wholeOf(parts));
      const node = state.effective.node('S')!;
      const story = coverageFor(state, node);
      if (story.inherited) return;
      const { missing, evidence } = executedFacts(state, node);
      const gaps = gapsOf(state, story);
      const told = gaps.flatMap(({ gap, target }) =>
        target ? [[gap, nameOfMade(target)] as const] : [],
      );
      const unrun = missing.flatMap((one) => NOT_RUN.exec(one)?.[1] ?? []);
      for (const name of unrun) expect(told.map(([, one]) => one)).toContain(name);
      for (const [gap, name] of told) {
        if (!UNRUN.has(gap)) continue;
        const known = missing.some((one) => one.includes(` ${name} `));
        expect([name, known]).toEqual([name, true]);
        seen.add(`${gap} ${name.split(' ')[0]}`);
      }
      if (missing.length > 0) expect(gaps.length).toBeGreaterThan(0);
      if (!gaps.some(({ gap }) => gap === 'nothing_executed')) return;
      seen.add('nothing_executed');
      expect(evidence).toEqual([]);
      expect(missing.length).toBe(1);
    }),
    { numRuns: 3000 },
  );
  expect([...seen]).toContain('stale_test F');
  expect([...seen]).toContain('unexecuted_test F');
  expect([...seen]).toContain('nothing_executed');
});

/** What the workflow calls a target that has been made. */
function nameOfMade({ kind, id }: { kind: string; id: string }): string {
  return kind === 'test' && id !== 'a' ? `Name of ${id}` : id;
}
