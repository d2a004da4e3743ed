// Which stories a new revision takes away: each way by an example, and the law of any two revisions.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { leavingStories } from '../../src/assurance/overlay/leaving-stories.ts';

const story = (id: string) => ({ id, kind: 'story' as const });
const section = (id: string) => ({ id, kind: 'section' as const });
const added = (storyId: string, state = 'active') => ({ storyId, state });

test('a story leaves where nothing has its id, or a section does [PQRS-34]', () => {
  const before = [story('A'), story('B'), story('C'), section('S'), section('T')];
  const after = [section('A'), { id: 'C', kind: 'requirement' as const }, story('S')];
  expect(leavingStories(before, [], after)).toEqual(['A', 'B']);
});

test('an active addition leaves where a section has its id [PQRS-34]', () => {
  const additions = [added('A'), added('B'), added('C'), added('D', 'proposed')];
  const after = [section('A'), story('B'), section('D')];
  expect(leavingStories([], additions, after)).toEqual(['A']);
});

test('of any two revisions, those leave that were stories and are none [PQRS-34]', () => {
  const kinds = fc.constantFrom('requirement' as const, 'story' as const, 'section' as const);
  const id = fc.constantFrom<string>('A', 'B', 'C', 'D');
  const revision = fc
    .dictionary(id, kinds)
    .map((of) => Object.entries(of).map(([one, kind]) => ({ id: one, kind })));
  const isStory = (nodes: { id: string; kind: string }[], wanted: string) =>
    nodes.some((node) => node.id === wanted && node.kind !== 'section');
  fc.assert(
    fc.property(revision, revision, fc.uniqueArray(id), (before, after, ids) => {
      // What the sources have cannot be added.
      const additions = ids.filter((one) => !before.some((node) => node.id === one));
      const leaving = leavingStories(
        before,
        additions.map((one) => added(one)),
        after,
      );
      const was = [...before.map((node) => node.id), ...additions].filter(
        (one) => additions.includes(one) || isStory(before, one),
      );
      const stays = (one: string) =>
        isStory(after, one) || (additions.includes(one) && !after.some((node) => node.id === one));
      expect(leaving).toEqual(was.filter((one) => !stays(one)));
    }),
  );
});
