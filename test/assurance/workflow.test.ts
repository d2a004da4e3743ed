// The stages of a story by what is found of each, and what comes next.
import { describe, expect, test } from 'bun:test';
import { nextActions } from '../../src/assurance/workflow/actions.ts';
import { stageFacts } from '../../src/assurance/workflow/facts.ts';
import { type NextStory, nextStory } from '../../src/assurance/workflow/next-story.ts';
import {
  STAGES,
  type StageFacts,
  type StageName,
  stagesOf,
} from '../../src/assurance/workflow/stages.ts';
import type { Finding } from '../../src/requirements/audit/finding.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

const DONE: StageFacts = { missing: [], evidence: [], since: '2026-01-01T00:00:00.000Z' };
const OPEN: StageFacts = { missing: ['something'], evidence: [], since: null };

function facts(given: Partial<Record<StageName, StageFacts>> = {}): Record<StageName, StageFacts> {
  const all = Object.fromEntries(STAGES.map((name) => [name, DONE]));
  return { ...all, ...given } as Record<StageName, StageFacts>;
}

const STORY: NextStory = {
  ...{ uncounted: undefined, failing: undefined, lacking: [] },
  openEdit: undefined,
  settler: 'srs:edit',
  ...{ id: 'US-1', title: 'Pay', statement: 'It pays.', acceptance: ['It is paid once.'] },
  ...{ unmet: [], suspects: [], leftToVerdicts: false },
  ...{
    newKey: 'verify US-1',
    newScenario: 'US-1 / Pay',
    commands: [],
    runners: [],
    quarantined: [],
  },
};

const states = (given: Partial<Record<StageName, StageFacts>>): string[] =>
  stagesOf(facts(given)).stages.map(({ state }) => state);

describe('a story [PQRS-22]', () => {
  test('of which all is done stands at the last stage, and nothing comes next', () => {
    const { stage, stages } = stagesOf(facts());
    expect(stage).toBe('validated');
    expect(stages.map(({ state }) => state)).toEqual(Array(5).fill('done'));
    expect(nextActions(STORY, stages, facts())).toEqual([]);
  });

  test('that fails is led to run that again, wherever it stands', () => {
    const failing = 'The test t fails.';
    const story = { ...STORY, failing, commands: ['cmd_1'], runners: ['cmd_1'] };
    const next = (given: Partial<Record<StageName, StageFacts>>) =>
      nextActions(story, stagesOf(facts(given)).stages, facts(given)).map(({ action }) => action);
    const again = ['plan_tests', 'claim_suite', 'run_tests'];
    expect(next({})).toEqual([...again, 'read_story']);
    expect(next({ executed: OPEN })).toEqual([...again, 'read_story']);
    expect(next({ specified: OPEN })).toEqual([...again, 'read_story']);
    expect(next({ validated: OPEN })).toEqual([...again, 'record_verdict', 'read_story']);
  });

  test('stands at the first stage that is not done; what follows is pending', () => {
    expect(stagesOf(facts({ covered: OPEN })).stage).toBe('covered');
    expect(states({ covered: OPEN, executed: OPEN, validated: OPEN })).toEqual([
      ...['done', 'done', 'current', 'pending', 'pending'],
    ]);
  });

  test('is blocked or suspect where that is what holds it up', () => {
    expect(states({ agreed: { ...OPEN, blocked: true } })[1]).toBe('blocked');
    expect(
      states({ covered: { ...OPEN, suspect: true }, validated: { ...OPEN, suspect: true } }),
    ).toEqual(['done', 'done', 'suspect', 'done', 'suspect']);
  });

  test('is led on by requests for the stage where it stands', () => {
    const actionsAt = (
      name: StageName,
      more: Partial<StageFacts> = {},
      story: Partial<NextStory> = {},
    ) => {
      const given = facts({ [name]: { ...OPEN, ...more } });
      const { stages } = stagesOf(given);
      return nextActions({ ...STORY, ...story }, stages, given).map(({ action }) => action);
    };
    const lacking = ['It has no statement.'];
    expect(actionsAt('specified', {}, { lacking })).toEqual(['edit_story', 'read_story']);
    expect(actionsAt('specified', {}, { lacking, openEdit: 'edt_1' })[0]).toBe('settle_edit');
    expect(actionsAt('specified', { evidence: ['a1:x'] })).toEqual([
      'import_sources',
      'read_story',
    ]);
    expect(actionsAt('agreed')).toEqual(['settle_edit', 'read_story']);
    expect(actionsAt('covered')).toEqual(['add_trace', 'justify_need', 'read_story']);
    expect(actionsAt('covered', { suspect: true })[0]).toBe('review_trace');
    const bodiesAt = (story: Partial<NextStory>) => {
      const given = facts({ covered: { ...OPEN, suspect: true } });
      const next = nextActions({ ...STORY, ...story }, stagesOf(given).stages, given);
      return next.map(({ why, body }) => ({ why, body }))[0];
    };
    expect(bodiesAt({})).toEqual({ why: 'something', body: undefined });
    const seen = { id: 'trc_1', fingerprint: 'f1.x' };
    expect(bodiesAt({ suspects: [seen] })?.body).toEqual({ review: [seen] });
    expect(actionsAt('covered', {}, { unmet: ['test'] })).toEqual([
      ...['add_trace', 'create_test_command', 'report_test', 'justify_need', 'read_story'],
    ]);
    expect(actionsAt('covered', {}, { unmet: ['scenario'] })).toContain('write_scenario');
    expect(actionsAt('executed')).toEqual(['run_tests', 'read_story']);
    expect(actionsAt('executed', {}, { runners: ['cmd_1'] })).toEqual([
      ...['claim_suite', 'run_tests', 'read_story'],
    ]);
    expect(actionsAt('executed', {}, { runners: ['cmd_1'], commands: ['cmd_1'] })[0]).toBe(
      'plan_tests',
    );
    expect(actionsAt('executed', {}, { leftToVerdicts: true })).toEqual([
      ...['run_tests', 'record_verdict', 'read_story'],
    ]);
    expect(actionsAt('validated')).toEqual(['record_verdict', 'read_story']);
    expect(actionsAt('validated', { blocked: true, evidence: ['iss_1'] })[0]).toBe('resolve_issue');
  });
});

test('a scenario that would verify a story has a key of its own, however long [PQRS-22]', () => {
  const keyOf = (id: string, title: string, ...taken: string[]) => {
    const state = makeCovered({ nodes: [{ id, title }], needs: ['scenario'] });
    const story = nextStory(state, state.effective.node(id)!, (key) => taken.includes(key));
    const given = facts({ covered: OPEN });
    const next = nextActions(story, stagesOf(given).stages, given);
    const [written] = next.flatMap(({ action, body }) =>
      action === 'write_scenario' ? body! : [],
    );
    return (written as { key: string }).key;
  };
  expect(keyOf('S', 'Pays')).toBe('S / Pays');
  expect(keyOf('S', ' ')).toBe('S / S');
  expect(keyOf('S', 'Pays', 'S / Pays')).toBe('S / Pays 2');
  expect(keyOf('S', 'Pays', 'S / Pays', 'S / Pays 2')).toBe('S / Pays 3');
  const long = keyOf('S', 'pays '.repeat(200));
  expect(keyOf('S', 'pays '.repeat(200), long)).toBe(`${long} 2`);
  expect(long.length).toBeGreaterThan(280);
  expect(`${long} 2`.length).toBeLessThanOrEqual(300);
});

describe('a story that nothing but what is in quarantine would judge [PQRS-22, PQRS-39]', () => {
  const nextOf = (made: Partial<MadeCoverage>) => {
    const state = makeCovered({ nodes: ['S'], ...made });
    const node = state.effective.node('S')!;
    const all = stageFacts(state, node, []);
    const story = nextStory(state, node, () => false);
    return nextActions(story, stagesOf(all).stages, all);
  };
  const commands = (['cmd_1', 'cmd_2'] as const).map((id, at) => ({
    ...{ id, storyIds: ['S'], state: 'quarantined' as const, credentials: at ? ['KEY'] : [] },
  }));

  test('is led on by the end of a quarantine, or by something else that judges it', () => {
    const next = nextOf({ commands });
    expect(next.map(({ action }) => action)).toEqual([
      ...['end_quarantine', 'end_quarantine', 'add_trace', 'run_tests', 'read_story'],
    ]);
    expect(next.slice(0, 2).map(({ capability, body }) => [capability, body])).toEqual([
      ['agent:execute', { id: 'cmd_1', state: 'active' }],
      ['project:owner', { id: 'cmd_2', state: 'active' }],
    ]);
    const ran = { 'scenario F / s': { status: 'passed' as const, commandId: 'cmd_1' } };
    const scenarios = [{ key: 'F / s', storyIds: ['S'] }];
    const idle = commands.map((one) => ({ ...one, storyIds: [] }));
    const other = nextOf({ needs: ['scenario'], scenarios, results: ran, commands: idle });
    expect(other[0]?.body).toEqual({ id: 'cmd_1', state: 'active' });
  });

  test('is led on as any where something else judges it, without what is in quarantine', () => {
    const next = nextOf({ commands: [...commands, { id: 'cmd_3', storyIds: ['S'] }] });
    expect(next.map(({ action }) => action)).toEqual([
      ...['plan_tests', 'claim_suite', 'run_tests', 'read_story'],
    ]);
    expect(next[1]?.body).toMatchObject({ commandIds: ['cmd_3'] });
  });
});

test('a story with thousands of links and of findings is looked at once for each [PQRS-22]', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `B-${at}`);
  const state = makeCovered({
    nodes: ['S', ...ids],
    links: ids.flatMap((id) => [
      ['S', 'relates', id] as const,
      ['S', 'depends', `NO-${id}`] as const,
    ]),
  });
  const findings = ids.map(
    (id): Finding => ({
      ...{ code: 'dangling_reference', severity: 'error', path: 'a.md', line: 1, itemId: 'S' },
      ...{ relatedIds: [`NO-${id}`], detail: '', fingerprint: `a1:${id}` },
    }),
  );
  const began = performance.now();
  const { specified } = stageFacts(state, state.effective.node('S')!, findings);
  // Each finding beside each link took more than five seconds.
  expect(performance.now() - began).toBeLessThan(2000);
  expect(specified.evidence).toHaveLength(ids.length);
});
