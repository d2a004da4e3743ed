// From one state to the next only the stories that something has changed of are gone through: what
// comes out is what going through all of them gives.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { coverStories } from '../../src/assurance/coverage/coverage.ts';
import type { Coverage } from '../../src/assurance/coverage/model.ts';
import { createSuccessiveCoverage } from '../../src/assurance/coverage/successive-coverage.ts';
import { linkedStories } from '../../src/assurance/results/linked-stories.ts';
import { nextIndex, type ResultIndex } from '../../src/assurance/results/result-index.ts';
import { lookUpResults } from '../../src/assurance/results/target-results.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { makeCovered } from './made-coverage.ts';
import { makeResult } from './made-results.ts';

const STORIES = ['TOP', 'A', 'B', 'C', 'R'];
const NODES = [...STORIES.slice(0, -1), { id: 'R', status: 'rejected' }];
const KEYS = ['a', 'b', 'c', 'run of s'];
const OF_SCENARIO = new Map([['F / s', ['run of s']]]);

const base = makeCovered({
  nodes: NODES,
  links: [
    ['A', 'refines', 'TOP'],
    ['B', 'refines', 'TOP'],
  ],
  commands: [{ id: 'cmd_1', key: 'unit', storyIds: ['C'] }],
  scenarios: [{ key: 'F / s', storyIds: ['B'] }],
  traces: [
    { storyId: 'A', to: 'test a' },
    { storyId: 'B', to: 'command unit' },
  ],
});
const LINKED = linkedStories(base.traces, base.catalog, base.scenarios, base.commands, OF_SCENARIO);
const others = makeCovered({
  nodes: NODES,
  verdicts: [{ storyId: 'A' }],
  issues: [
    {
      ...{ id: 'iss_1', number: 1, title: 't', severity: 'major', status: 'open' },
      ...{ storyId: 'C', untrusted: false },
    },
  ],
});

function stateWith(tests: ResultIndex, parts: Partial<AssuranceState>): AssuranceState {
  return { ...base, ...parts, tests, results: lookUpResults(tests, base.commands, OF_SCENARIO) };
}

/** All that coverage says. */
function told({ stories, places, summary, of }: Coverage) {
  return { stories, places, summary, found: STORIES.map(of) };
}

const status = fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const);
const change = fc.record({
  puts: fc.array(
    fc.record({
      key: fc.constantFrom(...KEYS),
      storyIds: fc.subarray(STORIES),
      status,
      old: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  drop: fc.option(fc.constantFrom(...KEYS), { nil: undefined }),
  command: fc.option(status, { nil: undefined }),
  verdicts: fc.boolean(),
  issues: fc.boolean(),
  /** Whether anybody asks for the coverage of this state. */
  asked: fc.boolean(),
  /** Whether all is read anew. */
  anew: fc.boolean(),
});

test('whatever changes, what is taken over is what would come out anew [PQRS-29]', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), (changes) => {
      const successive = createSuccessiveCoverage();
      let index: ResultIndex | undefined;
      let seq = 0;
      const earlier: AssuranceState[] = [];
      for (const { puts, drop, command, verdicts, issues, asked, anew } of changes) {
        const next = nextIndex(anew ? undefined : index);
        for (const { key, storyIds, status: how, old } of puts) {
          seq += 1;
          next.put({
            ...{ key, seq: KEYS.indexOf(key), name: key, storyIds, resultSeq: seq, linked: true },
            result: makeResult(base.effective, { status: how, old, at: seq }),
          });
        }
        if (drop !== undefined) next.drop(drop);
        if (command !== undefined) {
          seq += 1;
          const result = makeResult(base.effective, { status: command, at: seq });
          next.putCommand('cmd_1', { batch: seq, result });
        }
        index = next.done(seq, new Set());
        successive.follow(index);
        const state = stateWith(index, {
          ...(verdicts ? { validationsOf: others.validationsOf } : {}),
          ...(issues ? { issuesOf: others.issuesOf } : {}),
        });
        earlier.push(state);
        if (!asked) continue;
        expect(told(successive.cover(state, () => LINKED))).toEqual(told(coverStories(state)));
        // One that began before and is asked for later has its own.
        const late = earlier[0] as AssuranceState;
        expect(told(successive.cover(late, () => LINKED))).toEqual(told(coverStories(late)));
      }
    }),
    { numRuns: 400 },
  );
});

test('takes over the very coverage of stories that nothing has changed of', () => {
  const successive = createSuccessiveCoverage();
  const result = makeResult(base.effective, { status: 'passed' });
  const known = {
    key: 'a',
    seq: 1,
    name: 'a',
    storyIds: ['A'],
    resultSeq: 1,
    linked: true,
    result,
  };
  const first = nextIndex();
  first.put(known);
  const before = first.done(1, new Set());
  successive.follow(before);
  const one = successive.cover(stateWith(before, {}), () => LINKED);
  const second = nextIndex(before);
  second.put({ ...known, resultSeq: 2 });
  const after = second.done(2, new Set());
  successive.follow(after);
  const other = successive.cover(stateWith(after, {}), () => LINKED);
  expect(other.of('C')).toBe(one.of('C')!);
  expect(other.of('A')).not.toBe(one.of('A')!);
});
