// Differences of two graphs: each item in the list where it belongs, and texts that can be put together again.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Change, diffGraphs } from '../../../src/requirements/graph/diff.ts';
import type { Graph, GraphNode } from '../../../src/requirements/graph/model.ts';
import { runAtOnce } from '../../../src/runtime/scheduler.ts';

const words = fc
  .array(fc.constantFrom('a', 'pays', 'once', '\n', 'é', '<b>'))
  .map((all) => all.join(' '));
const node = fc.record({
  id: fc.constantFrom('A-1', 'A-2', 'A-3', 'A-4', 'A-5'),
  title: words,
  statement: words,
  acceptance: fc.array(words, { maxLength: 2 }),
  path: fc.constantFrom('a.md', 'b.md'),
});
const graph = fc
  .uniqueArray(node, { selector: ({ id }) => id })
  .map((nodes): Graph => ({ nodes: nodes.map(nodeOf), edges: [] }));

function nodeOf({ path, ...given }: { path: string; id: string }): GraphNode {
  const none = { rationale: null, status: null, priority: null, tags: [], attributes: {} };
  const made = { kind: 'story', active: true, source: { path, line: 1 }, order: 0 };
  return { ...none, ...made, ...given, fingerprint: '', deepFingerprint: '' } as never;
}

const join = ({ words: all = [] }: Change, side: string) =>
  all.flatMap(({ text, is }) => (is === 'same' || is === side ? text : [])).join('');
const textOf = (value: unknown) => (Array.isArray(value) ? value.join('\n') : value);

describe('diffGraphs [PQRS-7]', () => {
  test('puts each item where it belongs, and tells words apart', () => {
    fc.assert(
      fc.property(graph, graph, (before, after) => {
        const diff = runAtOnce(diffGraphs(before, after));
        const [old, young] = [before, after].map(
          ({ nodes }) => new Map(nodes.map((one) => [one.id, one])),
        );
        const ids = (items: { id: string }[]) => items.map(({ id }) => id);
        expect(ids(diff.added)).toEqual([...young!.keys()].filter((id) => !old!.has(id)));
        expect(ids(diff.removed)).toEqual([...old!.keys()].filter((id) => !young!.has(id)));
        const both = [...young!.values()].filter(({ id }) => old!.has(id));
        const moved = both.filter(({ id, source }) => old!.get(id)!.source.path !== source.path);
        expect(ids(diff.moved)).toEqual(ids(moved));
        for (const { id, changes } of diff.changed) {
          expect(changes.length).toBeGreaterThan(0);
          for (const change of changes) {
            const { field, was, now } = change;
            expect([was, now]).toEqual([
              old!.get(id)![field as never],
              young!.get(id)![field as never],
            ]);
            expect(was).not.toEqual(now);
            expect([join(change, 'removed'), join(change, 'added')]).toEqual([
              textOf(was),
              textOf(now),
            ] as string[]);
          }
        }
      }),
    );
  });

  test('shows long texts and those that have little in common as replaced', () => {
    const longs = [200, 2000, 9000].map((count) => {
      const [before, after] = [1, 7].map(
        (by): Graph => ({
          nodes: [
            nodeOf({
              id: 'A',
              statement: Array.from({ length: count }, (_, at) => `w${at * by}`).join(' '),
              path: 'a',
            } as never),
          ],
          edges: [],
        }),
      );
      return runAtOnce(diffGraphs(before!, after!)).changed[0]!.changes[0]!.words!.map(
        ({ is }) => is,
      );
    });
    expect(longs[0]!.length).toBeGreaterThan(2);
    expect(longs.slice(1)).toEqual([
      ['removed', 'added'],
      ['removed', 'added'],
    ]);
  });
});
