// The findings of the graph: each cause once, with its place, and in linear time.
import { describe, expect, test } from 'bun:test';
import { completeFindings } from '../../../src/requirements/audit/finding.ts';
import { graphFindings } from '../../../src/requirements/audit/graph-findings.ts';
import { weakWords } from '../../../src/requirements/audit/weak-words.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import type { SourceItem, SourceLink } from '../../../src/requirements/sources/model.ts';

function item(id: string, change: Partial<SourceItem> = {}): SourceItem {
  return {
    ...{
      id,
      kind: 'requirement',
      title: `Title of ${id}`,
      statement: `${id} shall hold`,
      acceptance: [],
    },
    ...{ rationale: null, status: null, priority: null, tags: [], attributes: {} },
    ...{ path: 'a.md', line: 1, parentId: null, active: true },
    ...change,
  } as SourceItem;
}

function link(from: string, to: string, type: SourceLink['type'] = 'refines'): SourceLink {
  return { from, to, type, path: 'a.md', line: 1 };
}

function codes(items: SourceItem[], links: SourceLink[] = []): string[] {
  const graph = buildGraph({ items, links }, ['kind', 'title', 'statement', 'acceptance', 'links']);
  return completeFindings(graphFindings(graph)).map(({ code, itemId, relatedIds }) =>
    [code, itemId, ...relatedIds].join(' '),
  );
}

describe('findings [PQRS-20]', () => {
  test.each([
    ['nothing wrong', [item('A')], [], []],
    ['a link to nothing', [item('A')], [link('A', 'X', 'depends')], ['dangling_reference A X']],
    ['a link to itself', [item('A')], [link('A', 'A', 'depends')], ['self_reference A']],
    [
      'a link to nothing under two names',
      [item('A')],
      [link('A', 'X', 'depends'), { ...link('A', 'X', 'depends'), role: 'needs' }],
      ['dangling_reference A X'],
    ],
    [
      'a ring of two',
      [item('A'), item('B')],
      [link('A', 'B', 'depends'), link('B', 'A', 'depends')],
      ['cycle A B'],
    ],
    [
      'no ring: relates',
      [item('A'), item('B')],
      [link('A', 'B', 'relates'), link('B', 'A', 'relates')],
      [],
    ],
    [
      'a retired target',
      [item('A'), item('B', { active: false })],
      [link('A', 'B', 'depends')],
      ['inactive_referenced A B'],
    ],
    [
      'a retired source',
      [item('A', { active: false }), item('B')],
      [link('A', 'B', 'depends')],
      [],
    ],
    ['no text', [item('A', { statement: ' ' })], [], ['missing_statement A']],
    [
      'no title where others have one',
      [item('A', { title: '' }), item('B', { line: 2 })],
      [],
      ['missing_title A'],
    ],
    ['no titles at all', [item('A', { title: '' })], [], []],
    ['nothing of a retired item', [item('A', { title: '', statement: '', active: false })], [], []],
    ['a story without criteria', [item('A', { kind: 'story' })], [], ['no_acceptance_criteria A']],
    ['a story with criteria', [item('A', { kind: 'story', acceptance: ['it holds'] })], [], []],
    ['weak words', [item('A', { statement: 'It shall be fast, etc.' })], [], ['weak_wording A']],
    ['an empty document', [item('D', { kind: 'document' })], [], ['empty_document D']],
    ['a filled document', [item('D', { kind: 'document' }), item('A', { parentId: 'D' })], [], []],
    [
      'an orphan among children',
      [item('P', { path: 'p.md' }), item('A'), item('B', { line: 2 })],
      [link('A', 'P')],
      ['orphan B'],
    ],
    ['no orphan where nobody has a parent', [item('A'), item('B')], [], []],
    [
      'the same statement twice',
      [
        item('A', { statement: 'The door shall close by itself' }),
        item('B', { statement: 'the door  shall close by itself' }),
      ],
      [],
      ['duplicate_statement A B'],
    ],
  ])('%s', (_name, items, links, expected) => {
    expect(codes(items as SourceItem[], links as SourceLink[])).toEqual(expected as string[]);
  });

  test('fingerprints stay the same when lines move, and tell findings apart', () => {
    const at = (line: number) =>
      completeFindings(
        graphFindings(
          buildGraph(
            {
              items: [item('A', { line }), item('B', { line: line + 1 })],
              links: [link('A', 'X'), link('A', 'Y')],
            },
            ['title'],
          ),
        ),
      );
    expect(at(1).map(({ fingerprint }) => fingerprint)).toEqual(
      at(50).map(({ fingerprint }) => fingerprint),
    );
    expect(new Set(at(1).map(({ fingerprint }) => fingerprint)).size).toBe(at(1).length);
  });

  test('of 20,000 items in one ring, with 10,000 links on one of them are found without recursion', () => {
    const time = (size: number) => {
      const items = Array.from({ length: size }, (_, at) => item(`R${at}`, { line: at }));
      const ring = items.map((_, at) => link(`R${at}`, `R${(at + 1) % size}`, 'depends'));
      const star = items.slice(0, size / 2).map((_, at) => link(`R${at}`, 'R0', 'relates'));
      const graph = buildGraph({ items, links: [...ring, ...star] }, ['title']);
      expect(graphFindings(graph).filter(({ code }) => code === 'cycle')).toHaveLength(1);
    };
    time(2000);
    time(20_000);
  });
});

describe('weak words [PQRS-20]', () => {
  test.each([
    ['quickly and User-Friendly', ['quickly', 'user-friendly']],
    ['if  possible, TBD', ['if possible', 'tbd']],
    ['breakfast is about 3', ['about']],
    ['a steadfast, non-fast, fast_path', []],
  ])('%s', (text, words) => {
    expect(weakWords([text])).toEqual(words);
  });
});
