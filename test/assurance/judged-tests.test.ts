// Tests that verdicts rest on: what they are called here and elsewhere, and whether they are there.
import { describe, expect, test } from 'bun:test';
import {
  findChanged,
  ownTest,
  sharedTest,
  testFingerprints,
} from '../../src/assurance/results/target-results.ts';
import { coveringTests } from '../../src/assurance/validation/verdicts.ts';
import { makeState } from './made-state.ts';

const state = makeState({
  stories: ['A'],
  commands: [
    { id: 'cmd_1', key: 'unit', fingerprint: 'c1:x', storyIds: ['A'] },
    { id: 'cmd_2', key: 'old', state: 'archived' },
  ],
  traces: [{ id: 'trc_1', storyId: 'A', kind: 'command', targetId: 'not-there' }],
});
const command = (id: string, fingerprint: string | null = 'c1:x') => ({
  ...{ kind: 'command', id, fingerprint },
});

describe('a command that a verdict went by', () => {
  test('has its id here, and its key elsewhere [PQRS-36]', () => {
    for (const name of ['cmd_1', 'unit']) {
      expect(ownTest(state, command(name))).toEqual(command('cmd_1'));
      expect(sharedTest(state, command(name))).toEqual(command('unit'));
    }
    expect(sharedTest(state, command('cmd_2'))).toEqual(command('old'));
    const unknown = [
      command('cmd_of_elsewhere'),
      { kind: 'test', id: 'cmd_1', fingerprint: null },
      { kind: 'scenario', id: 'unit', fingerprint: null },
    ];
    for (const one of unknown) {
      expect(ownTest(state, one)).toEqual(one);
      expect(sharedTest(state, one)).toEqual(one);
    }
  });

  test('is gone where it is archived, or is not there [PQRS-34]', () => {
    const changed = (id: string, fingerprint?: string | null) =>
      findChanged([command(id, fingerprint)], testFingerprints(state)) !== undefined;
    expect([changed('cmd_1'), changed('unit'), changed('unit', null)]).toEqual([
      ...[false, false, false],
    ]);
    expect(changed('unit', 'c1:other')).toBe(true);
    expect([changed('cmd_2'), changed('old'), changed('old', null)]).toEqual([true, true, true]);
    expect(changed('cmd_of_elsewhere')).toBe(true);
    expect(changed('cmd_of_elsewhere', null)).toBe(true);
  });

  test('is none that a link names and that is not there [PQRS-33]', () => {
    expect(coveringTests(state, 'A')).toEqual([command('cmd_1')]);
  });
});
