// The impact of a change: what rests on it, which links and verdicts it touches.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { traceStateOf } from '../../src/assurance/coverage/story-links.ts';
import { impactOf } from '../../src/assurance/impact/impact.ts';
import { makeState } from './made-state.ts';

describe('the impact of a change [PQRS-26]', () => {
  test('makes links of the changed story alone suspect, those that are not so already', () => {
    const state = makeState({
      ...{ stories: ['A', 'B'], links: [['B', 'A']], commands: [{ id: 'cmd_1' }] },
      traces: [
        { id: 'own', storyId: 'A', kind: 'test', targetId: 't1:1' },
        { id: 'old', storyId: 'A', kind: 'test', targetId: 't1:2', stale: true },
        { id: 'below', storyId: 'B', kind: 'command', targetId: 'cmd_1' },
        { id: 'route', storyId: 'B', kind: 'route', targetId: 'GET /b', type: 'affects' },
      ],
    });
    const impact = impactOf(state, ['A']);
    expect(impact.traces).toEqual([{ id: 'own', becomes: 'suspect' }]);
    expect(impact.testsToRerun).toEqual([
      { kind: 'test', id: 't1:1' },
      { kind: 'test', id: 't1:2' },
      { kind: 'command', id: 'cmd_1' },
    ]);
    expect(impact.testCommands).toEqual(['cmd_1']);
    expect(Object.keys(impact.names).sort()).toEqual(['A', 'B', 'cmd_1', 't1:1', 't1:2']);
    expect(impact.routes).toEqual(['GET /b']);
  });

  test('leaves out links that lead nowhere, and what they lead to', () => {
    const to = (id: string, kind: string, targetId: string) => ({
      id,
      storyId: 'A',
      kind,
      targetId,
    });
    const state = makeState({
      ...{ stories: ['A', 'B'], links: [['B', 'A']] },
      commands: [
        { id: 'cmd_1', key: 'old', state: 'archived' },
        { id: 'cmd_2', key: 'off', state: 'disabled' },
      ],
      stored: [{ key: 'F / s', storyIds: [] }],
      scenarios: [{ key: 'F / own', storyIds: [] }],
      traces: [
        ...[to('1', 'command', 'old'), to('2', 'command', 'cmd_1'), to('3', 'command', 'off')],
        ...[to('4', 'scenario', 'Nope / x'), to('5', 'scenario', 'F / s')],
        ...[to('6', 'scenario', 'F / own'), to('7', 'command', 'none yet')],
        { ...to('8', 'scenario', 'Nope / y'), storyId: 'B' },
      ],
    });
    const left = ['3', '5', '6'];
    expect(impactOf(state, ['A'])).toMatchObject({
      traces: left.map((id) => ({ id, becomes: 'suspect' })),
      ...{ scenarios: ['F / s', 'F / own'], testCommands: [] },
      testsToRerun: [],
    });
    // These are what the links become by what is known of them.
    expect(state.traces.filter((row) => traceStateOf(state, row) !== 'broken')).toMatchObject(
      left.map((id) => ({ id })),
    );
  });

  test('is what a walk from story to story by their names finds, in whatever graph', () => {
    const story = fc.integer({ min: 0, max: 9 }).map((at) => `S${at}`);
    const link = fc.tuple(story, story);
    // Of S8 and S9 a graph knows nothing.
    const stories = Array.from({ length: 8 }, (_, at) => `S${at}`);
    const made = fc.record({
      links: fc.array(link, { maxLength: 16 }),
      traces: fc.array(fc.tuple(story, fc.constantFrom('test t1:a', 'test t1:b', 'command c')), {
        maxLength: 8,
      }),
      tests: fc.array(fc.array(story, { maxLength: 4 }), { maxLength: 5 }),
      commands: fc.array(fc.array(story, { maxLength: 4 }), { maxLength: 3 }),
      stored: fc.array(fc.array(story, { maxLength: 4 }), { maxLength: 3 }),
      scenarios: fc.array(fc.array(story, { maxLength: 4 }), { maxLength: 3 }),
      verdicts: fc.uniqueArray(fc.tuple(story, fc.boolean()), { selector: ([id]) => id }),
    });
    fc.assert(
      fc.property(made, story, (parts, changed) => {
        const state = makeState({
          ...{ stories, links: parts.links.filter(([a, b]) => a < 'S8' && b < 'S8') },
          traces: parts.traces.map(([storyId, target], at) => {
            const [kind, targetId] = target.split(' ') as [string, string];
            return { id: `tr${at}`, storyId, kind, targetId };
          }),
          tests: parts.tests.map((storyIds, at) => ({ key: `t1:${at}`, storyIds })),
          commands: [
            ...parts.commands.map((storyIds, at) => ({ id: `cmd${at}`, storyIds })),
            { id: 'c' },
          ],
          stored: parts.stored.map((storyIds, at) => ({ key: `st${at}`, storyIds })),
          scenarios: parts.scenarios.map((storyIds, at) => ({ key: `sc${at}`, storyIds })),
          verdicts: parts.verdicts.map(([storyId, stale]) => ({ storyId, stale })),
        });
        const reached = new Set(changed < 'S8' ? [changed] : []);
        for (const id of reached) {
          for (const [from, to] of parts.links) if (to === id && from < 'S8') reached.add(from);
        }
        const touches = (ids: readonly string[]) => ids.some((id) => reached.has(id));
        const named = (lists: readonly string[][], name: (at: number) => string) =>
          lists.flatMap((ids, at) => (touches(ids) ? name(at) : []));
        const impact = impactOf(state, [changed]);
        expect(impact.stories.map(({ id }) => id).sort()).toEqual([...reached].sort());
        expect(impact.testsToRerun.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual(
          [
            ...new Set(parts.traces.flatMap(([id, target]) => (reached.has(id) ? target : []))),
            ...named(parts.tests, (at) => `test t1:${at}`),
            ...named(parts.commands, (at) => `command cmd${at}`),
          ].sort(),
        );
        expect(impact.scenarios.toSorted()).toEqual([
          ...named(parts.scenarios, (at) => `sc${at}`),
          ...named(parts.stored, (at) => `st${at}`),
        ]);
        expect(impact.validations.map(({ storyId }) => storyId).sort()).toEqual(
          parts.verdicts.flatMap(([id, stale]) => (reached.has(id) && !stale ? id : [])).sort(),
        );
        // The same rows beside another graph, as after the next revision.
        const other = makeState({ stories: stories.toReversed() }).effective;
        const alone = impactOf({ ...state, effective: other }, [changed]);
        expect(alone.testsToRerun.length).toBe(
          changed < 'S8'
            ? new Set(parts.traces.flatMap(([id, target]) => (id === changed ? target : []))).size +
                parts.tests.filter((ids) => ids.includes(changed)).length +
                parts.commands.filter((ids) => ids.includes(changed)).length
            : 0,
        );
      }),
    );
  });
});
