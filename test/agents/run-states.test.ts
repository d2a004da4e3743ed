// The rules of run states: which moves there are, what a sequence number says, what a lost lease means.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  fateOf,
  hasMove,
  isCurrent,
  isEnded,
  isLive,
  judgeSequence,
  MOVES,
  mayMove,
  RUN_STATES,
  type RunState,
} from '../../src/agents/runs/states.ts';

const anyState = fc.constantFrom(...RUN_STATES);

describe('the moves of a run [PQRS-48]', () => {
  test('are those of the table', () => {
    const table = RUN_STATES.flatMap((from) =>
      RUN_STATES.filter((to) => hasMove(from, to)).map((to) => `${from} > ${to}`),
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
  });

  test('an end is final', () => {
    const ends = RUN_STATES.filter(isEnded);
    expect(ends).toEqual(['passed', 'failed', 'broken', 'cancelled']);
    for (const end of ends) expect(MOVES[end]).toEqual([]);
  });

  test('every state is held, lost or ended, and one of them alone', () => {
    for (const state of RUN_STATES)
      expect([isLive(state), state === 'lost', isEnded(state)].filter(Boolean)).toHaveLength(1);
  });

  test('no walk over them leaves an end, and each begins nowhere else than queued', () => {
    fc.assert(
      fc.property(fc.array(anyState, { maxLength: 12 }), (wanted) => {
        let state: RunState = 'queued';
        let ended = false;
        for (const to of wanted) {
          if (!hasMove(state, to)) continue;
          expect(ended).toBe(false);
          state = to;
          ended = isEnded(state);
          expect(state).not.toBe('queued');
        }
      }),
    );
  });

  test('what an agent may say is a move, or no move of a run that is held', () => {
    fc.assert(
      fc.property(anyState, anyState, fc.boolean(), (from, to, claimed) => {
        if (!mayMove(from, to, claimed)) return;
        expect(to).not.toBe('lost');
        expect(hasMove(from, to) || (from === to && isLive(from))).toBe(true);
        if (claimed) expect(['passed', 'failed']).not.toContain(to);
      }),
    );
  });

  test('a claimed run passes and fails by no word of its agent, one of its own does', () => {
    for (const to of ['passed', 'failed'] as const) {
      expect(mayMove('running', to, true)).toBe(false);
      expect(mayMove('running', to, false)).toBe(true);
    }
  });
});

describe('the sequence of the writes to a run [PQRS-48]', () => {
  const anyWrite = fc.record({
    seq: fc.integer({ min: 1, max: 6 }),
    sha256: fc.constantFrom('a', 'b'),
  });

  test('only rises, and the same write twice is the same', () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 20 }), (writes) => {
        let known: { seq: number; sha256: string | null } = { seq: 0, sha256: null };
        for (const write of writes) {
          const verdict = judgeSequence(known, write);
          if (verdict === 'new') {
            expect(write.seq).toBeGreaterThan(known.seq);
            known = write;
          }
          // Whatever was taken is a replay from now on, until a later one comes.
          expect(judgeSequence(known, known as typeof write)).toBe('replay');
          if (verdict === 'replay') expect(write).toEqual(known as typeof write);
          if (verdict === 'stale') expect(write.seq).toBeLessThanOrEqual(known.seq);
        }
      }),
    );
  });

  test('before the first write none is a replay', () => {
    expect(judgeSequence({ seq: 0, sha256: null }, { seq: 1, sha256: 'a' })).toBe('new');
  });
});

describe('a lost lease [PQRS-48]', () => {
  const losing = fc.record({
    cancelRequested: fc.boolean(),
    attempts: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    onLeaseLost: fc.constantFrom('retry', 'fail'),
  });

  test('loses its run, or cancels one that was to be cancelled', () => {
    fc.assert(
      fc.property(losing, (one) => {
        const { run, item } = fateOf(one);
        expect(run).toBe(one.cancelRequested ? 'cancelled' : 'lost');
        expect(item === undefined).toBe(one.attempts === undefined);
        if (item === 'cancelled') expect(one.cancelRequested).toBe(true);
      }),
    );
  });

  test('puts an item up again only where attempts are left and the command is to be tried again', () => {
    fc.assert(
      fc.property(losing, (one) => {
        const { attempts } = one;
        if (attempts === undefined || one.cancelRequested) return;
        const again = one.onLeaseLost === 'retry' && attempts < one.maxAttempts;
        expect(fateOf(one).item).toBe(again ? 'open' : 'broken');
      }),
    );
  });

  test('by default the third one is the last', () => {
    const item = (attempts: number) =>
      fateOf({ cancelRequested: false, attempts, maxAttempts: 3, onLeaseLost: 'retry' }).item;
    expect([item(1), item(2), item(3)]).toEqual(['open', 'open', 'broken']);
  });
});

test('a run is current while its item waits for it and for no other [PQRS-48]', () => {
  expect(isCurrent('run_1', undefined)).toBe(true);
  expect(isCurrent('run_1', { state: 'claimed', runId: 'run_1' })).toBe(true);
  expect(isCurrent('run_1', { state: 'open', runId: 'run_1' })).toBe(true);
  expect(isCurrent('run_1', { state: 'claimed', runId: 'run_2' })).toBe(false);
  expect(isCurrent('run_1', { state: 'open', runId: 'run_2' })).toBe(false);
  expect(isCurrent('run_1', { state: 'ended', runId: 'run_1' })).toBe(false);
});
