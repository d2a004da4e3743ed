// The rules of run states: which transitions there are, sequence numbers, the outcome of a lost lease.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  canAgentWrite,
  canTransition,
  isCurrent,
  isEnded,
  isLive,
  judgeSequence,
  outcomeOfLoss,
  RUN_STATES,
} from '../../src/agents/runs/states.ts';

describe('transitions of a run [PQRS-48]', () => {
  test('are those of the table', () => {
    const table = RUN_STATES.flatMap((from) =>
      RUN_STATES.filter((to) => canTransition(from, to)).map((to) => `${from} > ${to}`),
    );
    expect(table).toEqual([
      'queued > running',
      'queued > broken',
      'queued > cancelled',
      'queued > lost',
      'running > passed',
      'running > failed',
      'running > broken',
      'running > cancelled',
      'running > lost',
      'lost > running',
      'lost > passed',
      'lost > failed',
      'lost > broken',
      'lost > cancelled',
    ]);
    expect(RUN_STATES.filter(isEnded)).toEqual(['passed', 'failed', 'broken', 'cancelled']);
  });

  test('an agent writes a transition, or the state of a live run again', () => {
    for (const from of RUN_STATES) {
      for (const to of RUN_STATES) {
        const own = to !== 'lost' && (from === to ? isLive(from) : canTransition(from, to));
        expect(canAgentWrite(from, to, false)).toBe(own);
        // A claimed run passes and fails by its report alone.
        expect(canAgentWrite(from, to, true)).toBe(own && to !== 'passed' && to !== 'failed');
      }
    }
  });
});

test('sequence numbers only rise, and the same write twice is a replay [PQRS-48]', () => {
  const anyWrite = fc.record({
    seq: fc.integer({ min: 1, max: 6 }),
    sha256: fc.constantFrom('a', 'b'),
  });
  fc.assert(
    fc.property(fc.array(anyWrite, { maxLength: 20 }), (writes) => {
      let known: { seq: number; sha256: string | null } = { seq: 0, sha256: null };
      for (const write of writes) {
        const verdict = judgeSequence(known, write);
        expect(verdict === 'new').toBe(write.seq > known.seq);
        if (verdict === 'new') known = write;
        expect(judgeSequence(known, write) === 'replay').toBe(verdict !== 'stale');
      }
    }),
  );
});

test.each([
  ['retry', 1, false, 'open'],
  ['retry', 2, false, 'open'],
  ['retry', 3, false, 'broken'],
  ['fail', 1, false, 'broken'],
  ['retry', 1, true, 'cancelled'],
] as const)('a lost lease with %s at attempt %d, cancelled %p: %s [PQRS-48]', (...row) => {
  const [onLeaseLost, attempts, cancelRequested, item] = row;
  const run = cancelRequested ? 'cancelled' : 'lost';
  const lost = { cancelRequested, item: { attempts, maxAttempts: 3, onLeaseLost } };
  expect(outcomeOfLoss(lost)).toEqual({ run, item });
  expect(outcomeOfLoss({ cancelRequested, item: undefined })).toEqual({ run, item: undefined });
});

test('a run is current while its item waits for it and for no other [PQRS-48]', () => {
  expect(isCurrent('run_1', undefined)).toBe(true);
  expect(isCurrent('run_1', { state: 'claimed', runId: 'run_1' })).toBe(true);
  expect(isCurrent('run_1', { state: 'open', runId: 'run_1' })).toBe(true);
  expect(isCurrent('run_1', { state: 'claimed', runId: 'run_2' })).toBe(false);
  expect(isCurrent('run_1', { state: 'ended', runId: 'run_1' })).toBe(false);
});
