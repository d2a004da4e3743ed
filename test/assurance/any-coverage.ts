// Random states of two stories, for what must hold whatever they are linked to.
import fc from 'fast-check';
import type { MadeCoverage } from './made-coverage.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const result = fc.record({
  status: fc.constantFrom(...(['passed', 'skipped', 'unknown', 'failed', 'broken'] as const)),
  old: fc.boolean(),
  commandId: fc.constantFrom('cmd_0', 'cmd_1', 'none'),
  own: fc.constantFrom('c1:cmd_0', 'c1:cmd_1', 'c1:other'),
});
const passed = result.map((one) => ({ ...one, status: 'passed' as const }));
const any = fc.oneof({ arbitrary: passed, weight: 3 }, { arbitrary: result, weight: 1 });
const TARGETS = ['test a', 'command cmd_0', 'command cmd_1', 'scenario F / 0', 'scenario F / 1'];
const story = fc.constantFrom(...(['S', 'BELOW'] as const));
/** Whatever the story S may be linked to, and BELOW, which may refine it. */
export const anyCoverage = fc.record({
  needs: fc.subarray(['scenario', 'test'] as const),
  links: fc.subarray([['BELOW', 'refines', 'S'] as const]),
  status: fc.constantFrom(null, 'rejected'),
  commands: fc.array(
    fc.record({
      storyIds: fc.subarray(['S', 'BELOW']),
      state: fc.constantFrom(...(['active', 'quarantined', 'disabled', 'archived'] as const)),
    }),
    { maxLength: 2 },
  ),
  scenarios: fc.array(fc.subarray(['S', 'BELOW']), { maxLength: 2 }),
  tests: fc.array(fc.record({ storyIds: fc.subarray(['S', 'BELOW']), result: maybe(any) }), {
    maxLength: 2,
  }),
  results: fc.array(fc.tuple(fc.constantFrom(...TARGETS), any), { maxLength: 4 }),
  traces: fc.array(
    fc.record({
      storyId: story,
      to: fc.constantFrom(...TARGETS, 'scenario gone', 'file x'),
      type: fc.constantFrom('verifies', 'verifies', 'implements'),
      old: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
    }),
    { maxLength: 3 },
  ),
  justified: fc.uniqueArray(
    fc.tuple(story, fc.constantFrom('scenario' as const, 'test' as const)),
    {
      selector: String,
      maxLength: 2,
    },
  ),
  verdicts: fc.array(
    fc.record({
      storyId: story,
      verdict: fc.constantFrom('passed', 'passed', 'failed'),
      on: fc.constantFrom(undefined, undefined, 'then' as const, 'deep then' as const),
    }),
    { maxLength: 2 },
  ),
});

type Parts = typeof anyCoverage extends fc.Arbitrary<infer T> ? T : never;

/** A state to be made of it. */
export const wholeOf = (parts: Parts): MadeCoverage => ({
  ...{ nodes: [{ id: 'S', status: parts.status }, 'BELOW'], needs: parts.needs },
  ...{ links: parts.links, traces: parts.traces, verdicts: parts.verdicts },
  commands: parts.commands.map((one, at) => ({ id: `cmd_${at}`, ...one })),
  scenarios: parts.scenarios.map((storyIds, at) => ({ key: `F / ${at}`, storyIds })),
  tests: parts.tests.map((one, at) => ({ key: `t${at}`, ...one })),
  results: Object.fromEntries(parts.results),
  justified: parts.justified.map(([storyId, need]) => [storyId, need, 'because']),
});
