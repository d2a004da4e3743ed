// The stages of a story by what is found of each, and what comes next.
import { describe, expect, test } from 'bun:test';
import { nextActions } from '../../src/assurance/workflow/actions.ts';
import { stageFacts } from '../../src/assurance/workflow/facts.ts';
import {
  STAGES,
  type StageFacts,
  type StageName,
  stagesOf,
} from '../../src/assurance/workflow/model.ts';
import type { Finding } from '../../src/requirements/audit/findings.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

const DONE: StageFacts = { missing: [], evidence: [], since: '2026-01-01T00:00:00.000Z' };
const OPEN: StageFacts = { missing: ['something'], evidence: [], since: null };

function facts(given: Partial<Record<StageName, StageFacts>> = {}): Record<StageName, StageFacts> {
  const all = Object.fromEntries(STAGES.map((name) => [name, DONE]));
  return { ...all, ...given } as Record<StageName, StageFacts>;
}

const COMMAND = { id: 'cmd_1', storyIds: ['S'] };

/** What comes next for the story S. */
function actionsOf(made: Partial<MadeCoverage>, stages: ReturnType<typeof stagesOf>['stages']) {
  const state = makeCovered({ nodes: ['S'], ...made });
  const node = state.effective.node('S')!;
  return nextActions({ state, node }, stages).map(({ action }) => action);
}

describe('a story [PQRS-22]', () => {
  test('is led on by requests for the stage where it stands', () => {
    const at = (
      name: StageName,
      more: Partial<StageFacts> = {},
      made: Partial<MadeCoverage> = {},
    ) => actionsOf(made, stagesOf(facts({ [name]: { ...OPEN, ...more } })).stages);
    const bare = { nodes: [{ id: 'S', statement: '' }] };
    expect(at('specified', {}, bare)).toEqual(['edit_story', 'read_story']);
    expect(at('specified', { evidence: ['a1:x'] })).toEqual(['import_sources', 'read_story']);
    expect(at('agreed')).toEqual(['settle_edit', 'read_story']);
    expect(at('covered', { suspect: true })[0]).toBe('review_trace');
    const covered = (...needs: ('test' | 'scenario')[]) => at('covered', {}, { needs });
    expect(covered()).toEqual(['add_trace', 'justify_need', 'read_story']);
    expect(covered('test')).toEqual([
      ...['add_trace', 'create_test_command', 'report_test', 'justify_need', 'read_story'],
    ]);
    expect(covered('scenario')).toContain('write_scenario');
    const ran = {
      key: 't',
      storyIds: ['S'],
      result: { status: 'passed', commandId: 'cmd_1' } as const,
    };
    const idle = { ...COMMAND, storyIds: [] };
    expect(at('executed', {}, { commands: [idle], tests: [ran] })).toEqual([
      ...['plan_tests', 'claim_suite', 'run_tests', 'read_story'],
    ]);
    expect(at('executed', {}, { commands: [COMMAND] })[0]).toBe('plan_tests');
    expect(at('executed')).toEqual(['run_tests', 'record_verdict', 'read_story']);
    expect(at('validated')).toEqual(['record_verdict', 'read_story']);
    expect(at('validated', { blocked: true, evidence: ['iss_1'] })[0]).toBe('resolve_issue');
  });

  test('with suspect links is led to their review as it is now', () => {
    const traces = [{ storyId: 'S', to: 'test t', old: true }];
    const state = makeCovered({ nodes: ['S'], traces });
    const node = state.effective.node('S')!;
    const given = facts({ covered: { ...OPEN, suspect: true } });
    const [review] = nextActions({ state, node }, stagesOf(given).stages);
    const { fingerprint } = node;
    expect(review?.body).toEqual({ review: [{ id: 'trc_0', fingerprint }] });
  });
});

describe('a story that nothing but what is in quarantine would judge [PQRS-22, PQRS-39]', () => {
  const nextOf = (made: Partial<MadeCoverage>) => {
    const state = makeCovered({ nodes: ['S'], ...made });
    const node = state.effective.node('S')!;
    const { stages } = stagesOf(stageFacts(state, node, []));
    return nextActions({ state, node }, stages);
  };
  const commands = (['cmd_1', 'cmd_2'] as const).map((id) => ({
    ...{ id, storyIds: ['S'], state: 'quarantined' as const },
  }));

  test('is led on by the end of a quarantine, or by something else that judges it', () => {
    const next = nextOf({ commands });
    expect(next.map(({ action }) => action)).toEqual([
      ...['end_quarantine', 'add_trace', 'run_tests', 'read_story'],
    ]);
    const ran = { 'scenario F / s': { status: 'passed' as const, commandId: 'cmd_1' } };
    const scenarios = [{ key: 'F / s', storyIds: ['S'] }];
    const idle = commands.map((one) => ({ ...one, storyIds: [] }));
    const other = nextOf({ needs: ['scenario'], scenarios, results: ran, commands: idle });
    expect(other[0]?.action).toBe('end_quarantine');
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
