// The canonical graph: identity, edges, fingerprints, and that all of it is linear.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import {
  deepFingerprints,
  fieldsOfPrefix,
  fingerprinter,
  fingerprintPrefix,
} from '../../../src/requirements/graph/fingerprint.ts';
import { stronglyConnected } from '../../../src/requirements/graph/graph-index.ts';
import type { SourceItem, SourceLink } from '../../../src/requirements/sources/model.ts';
import { item, link } from '../../support/source-items.ts';

const fingerprintOf = (
  node: Parameters<ReturnType<typeof fingerprinter>>[0],
  links: Parameters<ReturnType<typeof fingerprinter>>[1],
  fields: Parameters<typeof fingerprinter>[0],
) => fingerprinter(fields)(node, links);

const NORMATIVE = ['kind', 'title', 'statement', 'acceptance', 'links'] as const;

describe('identity', () => {
  test('of two items with one id the first by path and line wins, and a finding names both [PQRS-20]', () => {
    const { nodes, findings } = buildGraph(
      {
        items: [
          item('A', { path: 'b.md', title: 'second' }),
          item('A', { title: 'first', line: 3 }),
        ],
        links: [],
      },
      NORMATIVE,
    );
    expect(nodes.map(({ title }) => title)).toEqual(['first']);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ code: 'duplicate_id', itemId: 'A', path: 'a.md', line: 3 });
    expect(findings[0]?.detail).toContain('b.md:1');
  });

  test('of items with one id one of a requirements format wins over prose [PQRS-20]', () => {
    const items = [
      item('A', { path: 'a.md', title: 'prose' }),
      item('A', { path: 'c.sdoc', title: 'second' }),
      item('A', { path: 'b.yml', title: 'first' }),
    ];
    const { nodes, findings } = buildGraph(
      { items, links: [], prose: new Set(['a.md']) },
      NORMATIVE,
    );
    expect(nodes.map(({ title }) => title)).toEqual(['first']);
    expect(findings).toMatchObject([{ code: 'duplicate_id', path: 'b.yml' }]);
    expect(findings[0]?.detail).toMatch(/c\.sdoc:1, a\.md:1/);
  });

  test('what is below an item that lost its id to another file is below the one that has it [PQRS-20]', () => {
    const at = (id: string, path: string, line: number, parentId: string | null = null) =>
      item(id, { path, line, parentId });
    const items = [
      ...[at('A', 'a.md', 1), at('B', 'a.md', 2, 'A'), at('D', 'b.md', 1), at('A', 'b.md', 2, 'D')],
      ...[at('B', 'b.md', 3, 'A'), at('C', 'b.md', 4, 'B'), at('E', 'c.md', 1, 'A')],
    ];
    const { edges } = buildGraph({ items, links: [] }, NORMATIVE);
    expect(edges.map(({ from, to }) => `${from} > ${to}`)).toEqual(['A > B', 'A > E', 'B > C']);
  });

  test('what an item declares that has lost its id goes with it, and what others say of the id stays [PQRS-20]', () => {
    const winner = item('A', { line: 3 });
    const losers = [item('A', { line: 9 }), item('A', { path: 'b.md' })];
    const items = [winner, item('B', { line: 20 }), item('C', { line: 30 })];
    const of = (by: SourceItem, from: string, to: string): SourceLink => ({
      ...link(from, to),
      ...{ path: by.path, line: by.line + 1, item: by },
    });
    const links = [of(winner, 'A', 'B'), { ...link('A', 'C'), path: 'b.md', line: 99 }];
    const lost = losers.flatMap((loser) => [
      of(loser, 'A', 'gone'),
      of(loser, 'B', 'A'),
      of(loser, 'C', 'A'),
    ]);
    const without = buildGraph({ items, links }, NORMATIVE);
    const built = buildGraph(
      { items: [...losers, ...items], links: [...lost, ...links] },
      NORMATIVE,
    );
    expect(built.findings.map(({ code }) => code)).toEqual(['duplicate_id']);
    expect(built).toEqual({ ...without, findings: built.findings });
    expect(built.edges.map(({ from, to }) => [from, to])).toEqual([
      ['A', 'B'],
      ['A', 'C'],
    ]);
  });

  test('an item whose id can be none is left out, which is reported once, and its links with it [PQRS-20]', () => {
    const bad = item('a\nb', { line: 7 });
    const items = [bad, item('A'), item('B', { parentId: bad.id }), item(' ')];
    const links = [link('A', bad.id), { ...link(bad.id, 'A'), item: bad }, link('B', 'A')];
    const built = buildGraph({ items, links }, NORMATIVE);
    expect(built.nodes.map(({ id }) => id)).toEqual(['A', 'B']);
    expect(built.edges.map(({ from, to }) => [from, to])).toEqual([['B', 'A']]);
    expect([built.unnameable, built.rootless]).toEqual([[], []]);
    expect(built.findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`)).toEqual([
      'invalid_id 1 An item is left out: its id must not be blank, and is " "; its links go with it.',
      'invalid_id 7 An item is left out: its id must hold no control character, and is "a\\nb"; its links go with it.',
    ]);
  });

  test('the order in which content comes does not matter', () => {
    const items = ['A', 'B', 'C', 'D'].map((id, line) => item(id, { line }));
    const links = [
      link('B', 'A'),
      link('C', 'B', 'depends'),
      link('D', 'gone'),
      link('A', 'D', 'relates'),
      { ...link('A', 'D', 'relates'), line: 7 },
      { ...link('nobody', 'A'), line: 9 },
      link('nobody', 'B'),
    ];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(items, { minLength: 4 }),
        fc.shuffledSubarray(links, { minLength: links.length }),
        (some, others) => {
          expect(buildGraph({ items: some, links: others }, NORMATIVE)).toEqual(
            buildGraph({ items, links }, NORMATIVE),
          );
        },
      ),
    );
  });
});

describe('edges [PQRS-17]', () => {
  test('come with the first link that declares each; links from nowhere stand apart', () => {
    const late = { ...link('B', 'A'), path: 'z.md' };
    const links = [late, { ...link('B', 'A'), line: 8 }, { ...link('B', 'A'), line: 5 }];
    const rootless = [link('X', 'A'), { ...link('X', 'Y'), line: 3 }];
    const built = buildGraph(
      { items: [item('A'), item('B', { line: 2, parentId: 'A' })], links: [...rootless, ...links] },
      NORMATIVE,
    );
    const places = built.edges.map((edge) => [edge.type, built.declared.get(edge)?.line]);
    expect(places).toEqual([
      ['contains', undefined],
      ['refines', 5],
    ]);
    expect(built.rootless).toEqual(rootless);
  });

  test('are ok, suspect or dangling, and each stands once', () => {
    const { edges } = buildGraph(
      {
        items: [item('A'), item('B', { line: 2, parentId: 'A' })],
        links: [
          link('B', 'A'),
          link('B', 'A'),
          { ...link('B', 'A', 'verifies'), suspect: true },
          link('B', 'gone'),
        ],
      },
      NORMATIVE,
    );
    expect(edges).toEqual([
      { from: 'A', to: 'B', type: 'contains', status: 'ok' },
      { from: 'B', to: 'A', type: 'refines', status: 'ok' },
      { from: 'B', to: 'gone', type: 'refines', status: 'dangling' },
      { from: 'B', to: 'A', type: 'verifies', status: 'suspect' },
    ]);
  });

  test('keep the roles and what else is said of them, and one for each of these', () => {
    const links = [
      { ...link('B', 'A'), role: 'elaborates' },
      link('B', 'A'),
      { ...link('B', 'A'), role: 'details', attributes: { why: 'x' } },
      { ...link('B', 'A'), role: 'details', attributes: { why: 'x' }, suspect: true },
      { ...link('B', 'A'), role: 'details', attributes: { why: 'y', b: 1 } },
      { ...link('B', 'A'), role: 'details', attributes: { b: 1, why: 'y' } },
      { ...link('B', 'A'), role: '', attributes: {} },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(links, { minLength: links.length }), (some) => {
        const { edges } = buildGraph({ items: [item('A'), item('B')], links: some }, NORMATIVE);
        const edge = { from: 'B', to: 'A', type: 'refines' } as const;
        expect(edges).toEqual([
          { ...edge, status: 'ok' },
          { ...edge, status: 'ok', role: 'details', attributes: { why: 'y', b: 1 } },
          { ...edge, status: 'suspect', role: 'details', attributes: { why: 'x' } },
          { ...edge, status: 'ok', role: 'elaborates' },
        ]);
      }),
    );
  });
});

describe('fingerprints [PQRS-18]', () => {
  const plain = item('A');
  const of = (change: Partial<SourceItem>, links: [string, string][] = []) =>
    fingerprintOf({ ...plain, ...change }, links, NORMATIVE);

  test('name algorithm and profile', () => {
    expect(of({})).toMatch(/^f1\.ktsal:[0-9a-f]{64}$/);
    expect(fingerprintPrefix(['links', 'title', 'tags'])).toBe('f1.tlg:');
    expect(fieldsOfPrefix('f1.tlg:00')).toEqual(['title', 'links', 'tags']);
    expect(fieldsOfPrefix('f2.tlg:00')).toBeUndefined();
  });

  test('stay the same for what is not normative: white space, form, order, tags, status, place', () => {
    const same = [
      { title: '  Title  of\nA ' },
      { tags: ['x'] },
      { status: 'draft' },
      { line: 99 },
      { path: 'z' },
    ];
    for (const change of same) expect(of(change)).toBe(of({}));
    expect(of({ title: 'Caf\u00e9' })).toBe(of({ title: 'Cafe\u0301' }));
    expect(
      of({}, [
        ['refines', 'B'],
        ['depends', 'C'],
      ]),
    ).toBe(
      of({}, [
        ['depends', 'C'],
        ['refines', 'B'],
      ]),
    );
  });

  test('differ for every normative field, and do not run into each other', () => {
    const different = [
      of({}),
      of({ kind: 'story' }),
      of({ title: 'x' }),
      of({ statement: 'x' }),
      of({ acceptance: ['x'] }),
      of({ acceptance: ['x', ''] }),
      of({}, [['refines', 'B']]),
      of({}, [['refines', 'missing:B']]),
      of({ title: 'ab', statement: 'c' }),
      of({ title: 'a', statement: 'bc' }),
    ];
    expect(new Set(different).size).toBe(different.length);
  });
});

describe('deep fingerprints [PQRS-18]', () => {
  test('change with anything upstream, and with nothing else', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }).chain((size) =>
          fc.record({
            targets: fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }), {
              minLength: size,
              maxLength: size,
            }),
            changed: fc.nat(size - 1),
          }),
        ),
        ({ targets, changed }) => {
          const before = targets.map((_, at) => `f1.t:${at}`);
          const after = before.map((text, at) => (at === changed ? 'f1.t:changed' : text));
          const [one, other] = [
            deepFingerprints(before, targets),
            deepFingerprints(after, targets),
          ];
          for (const at of targets.keys()) {
            expect(one[at] !== other[at]).toBe(reaches(targets, at, changed));
          }
        },
      ),
    );
  });

  test('members of a cycle share one', () => {
    const [a, b, c, d] = deepFingerprints(
      ['f1.t:a', 'f1.t:b', 'f1.t:c', 'f1.t:d'],
      [[1], [2], [0, 3], []],
    );
    expect(a).toBe(b as string);
    expect(b).toBe(c as string);
    expect(c).not.toBe(d as string);
  });
});

describe('components', () => {
  test('are those of mutual reachability, each behind what it points at', () => {
    const graphs = fc.integer({ min: 1, max: 12 }).chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), {
        minLength: size,
        maxLength: size,
      }),
    );
    fc.assert(
      fc.property(graphs, (targets) => {
        const components = stronglyConnected(targets);
        const place = new Map(
          components.flatMap((members, at) => members.map((member) => [member, at])),
        );
        expect(place.size).toBe(targets.length);
        for (const a of targets.keys()) {
          for (const b of targets.keys()) {
            const together = reaches(targets, a, b) && reaches(targets, b, a);
            expect(place.get(a) === place.get(b)).toBe(a === b || together);
          }
          for (const b of targets[a] ?? [])
            expect(place.get(b)).toBeLessThanOrEqual(place.get(a) as number);
        }
      }),
    );
  });

  test('a chain of 100,000 and forty layers of diamonds take no recursion and no second [PQRS-15]', () => {
    const chain = Array.from({ length: 100_000 }, (_, at) => (at + 1 < 100_000 ? [at + 1] : [0]));
    expect(stronglyConnected(chain)).toHaveLength(1);
    const diamonds = Array.from({ length: 80 }, (_, at) => {
      const layer = Math.floor(at / 2);
      return layer + 1 < 40 ? [2 * layer + 2, 2 * layer + 3] : [];
    });
    expect(
      deepFingerprints(
        diamonds.map((_, at) => `f1.t:${at}`),
        diamonds,
      ),
    ).toHaveLength(80);
  });
});

function reaches(targets: readonly (readonly number[])[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const at of seen) for (const target of targets[at] ?? []) seen.add(target);
  return from === to || seen.has(to);
}
