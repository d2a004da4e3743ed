// Overlays on a graph: what is made anew in part equals what is made whole.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import type { NormativeField } from '../../../src/requirements/graph/fingerprint.ts';
import { indexGraph } from '../../../src/requirements/graph/graph-index.ts';
import { applyOverlays } from '../../../src/requirements/overlay/apply.ts';
import type { AdditionContent, EditContent } from '../../../src/requirements/overlay/model.ts';
import type { SourceItem, SourceLink } from '../../../src/requirements/sources/model.ts';

const FIELDS: NormativeField[] = ['kind', 'title', 'statement', 'acceptance', 'links'];

function item(id: string, at: number, more: Partial<SourceItem> = {}): SourceItem {
  return {
    ...{ id, kind: 'story', title: `Title of ${id}`, statement: `It does ${id}.` },
    ...{ acceptance: [], rationale: null, status: null, priority: null, tags: [] },
    ...{ attributes: {}, path: 'a.md', line: at + 1, parentId: null, active: true, ...more },
  };
}

function link(from: string, to: string, type: SourceLink['type'] = 'depends'): SourceLink {
  return { from, to, type, path: 'a.md', line: 1 };
}

const edit = (storyId: string, set: EditContent['set']): EditContent => ({ storyId, set });

function addition(storyId: string, more: Partial<AdditionContent> = {}): AdditionContent {
  return {
    ...{ id: `add_${storyId}`, storyId, parentId: null, kind: 'story', title: storyId },
    ...{ statement: '', acceptance: [], links: [], ...more },
  };
}

describe('the effective graph [PQRS-17]', () => {
  const items = ['A', 'B', 'C', 'D'].map((id, at) => item(id, at));
  const links = [link('B', 'A'), link('C', 'B'), link('D', 'GONE')];
  const canonical = indexGraph(buildGraph({ items, links }, FIELDS));
  const nodeOf = (index: typeof canonical, id: string) => index.graph.nodes[index.at.get(id) ?? -1];

  test('is the canonical one itself where a section is edited', () => {
    const section = indexGraph(
      buildGraph({ items: [item('A', 0, { kind: 'section' })], links: [] }, FIELDS),
    );
    const edits = [edit('A', { statement: 'Another' })];
    expect(applyOverlays(section, { edits, additions: [] }, FIELDS)).toBe(section);
  });

  test('changes the fingerprint of an edited story, and the deep ones of all that rests on it', () => {
    const index = applyOverlays(
      canonical,
      { edits: [edit('A', { title: 'Another' })], additions: [] },
      FIELDS,
    );
    const changed = (id: string) => ({
      own: nodeOf(index, id)?.fingerprint !== nodeOf(canonical, id)?.fingerprint,
      deep: nodeOf(index, id)?.deepFingerprint !== nodeOf(canonical, id)?.deepFingerprint,
    });
    expect(nodeOf(index, 'A')?.title).toBe('Another');
    expect(changed('A')).toEqual({ own: true, deep: true });
    expect(changed('B')).toEqual({ own: false, deep: true });
    expect(changed('C')).toEqual({ own: false, deep: true });
    expect(changed('D')).toEqual({ own: false, deep: false });
    expect(nodeOf(canonical, 'A')?.title).toBe('Title of A');
  });

  test('keeps what an addition is linked to and stands below where that has left', () => {
    const links = [{ type: 'refines' as const, to: 'LEFT' }];
    const added = addition('NEW', { parentId: 'ABOVE', links });
    const index = applyOverlays(canonical, { edits: [], additions: [added] }, FIELDS);
    expect(index.graph.edges.slice(-2)).toEqual([
      { from: 'ABOVE', to: 'NEW', type: 'contains', status: 'dangling' },
      { from: 'NEW', to: 'LEFT', type: 'refines', status: 'dangling' },
    ]);
    const both = [added, addition('ABOVE'), addition('LEFT')];
    const whole = applyOverlays(canonical, { edits: [], additions: both }, FIELDS);
    expect(whole.graph.edges.filter(({ status }) => status === 'dangling')).toEqual([
      ...canonical.graph.edges.filter(({ to }) => to === 'GONE'),
    ]);
  });

  test('passes over edits of what is gone, and additions whose id is taken', () => {
    const overlays = { edits: [edit('Z', { title: 'x' })], additions: [addition('A')] };
    expect(applyOverlays(canonical, overlays, FIELDS)).toBe(canonical);
  });
});

const ids = fc.integer({ min: 0, max: 9 }).map((n) => `N${n}`);
const types = fc.constantFrom('refines', 'derives', 'depends', 'relates') as fc.Arbitrary<
  SourceLink['type']
>;

test('an overlaid graph has the fingerprints of one that was built so at once', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(ids, { minLength: 1 }),
      fc.array(fc.tuple(ids, ids, types), { maxLength: 25 }),
      fc.array(fc.tuple(ids, fc.string()), { maxLength: 4 }),
      fc.uniqueArray(fc.integer({ min: 7, max: 12 }), { maxLength: 3 }),
      fc.constantFrom<NormativeField[]>(FIELDS, ['title'], ['links', 'statement', 'tags']),
      (names, pairs, titles, added, fields) => {
        const items = names.map((id, at) => item(id, at));
        const links = pairs.map(([from, to, type]) => link(from, to, type));
        const canonical = indexGraph(buildGraph({ items, links }, FIELDS));
        const additions = added
          .map((n) => `N${n}`)
          .filter((id) => !names.includes(id))
          .map((id) => addition(id, { links: [{ type: 'depends', to: names[0] ?? '' }] }));
        const edits = titles.map(([id, title]) => edit(id, { title }));
        const { graph } = applyOverlays(canonical, { edits, additions }, fields);
        const all = [
          ...items,
          ...additions.map(({ storyId, ...content }, at) =>
            item(storyId, 100 + at, { ...content, id: storyId }),
          ),
        ];
        for (const one of all) {
          const last = edits.findLast(({ storyId }) => storyId === one.id);
          if (last) one.title = last.set.title ?? one.title;
        }
        const whole = buildGraph(
          {
            items: all,
            links: [
              // A node that only comes with an addition has no links of the sources.
              ...links.filter(({ from }) => names.includes(from)),
              ...additions.flatMap(({ storyId, links: own }) =>
                own.map(({ type, to }) => link(storyId, to, type)),
              ),
            ],
          },
          fields,
        );
        const prints = (nodes: typeof graph.nodes) =>
          nodes
            .map(({ id, fingerprint, deepFingerprint }) => ({ id, fingerprint, deepFingerprint }))
            .sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(prints(graph.nodes)).toEqual(prints(whole.nodes));
      },
    ),
  );
});
