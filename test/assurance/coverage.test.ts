// Coverage of a whole project: what is inherited, what is counted, and that the counts add up.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  COVERAGE_STATUSES,
  type StoryCoverage,
  WORST_FIRST,
} from '../../src/assurance/coverage/model.ts';
import { type Share, shareOf } from '../../src/quality/runs/flaky.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

type Links = NonNullable<MadeCoverage['links']>;

function statuses(made: MadeCoverage) {
  const { stories } = makeCovered(made).coverage();
  return Object.fromEntries(
    stories.map(({ storyId, status, inherited }) => [storyId, inherited ? `(${status})` : status]),
  );
}

/** A test of its own for a story, with a result. */
const tested = (storyId: string) => ({ storyId, to: `test ${storyId}` });
const PASSED = { status: 'passed' } as const;
const FAILED = { status: 'failed' } as const;

describe('a node without links of its own [PQRS-29]', () => {
  test('in a ring shares what comes from outside; in a closed ring keeps its own', () => {
    const ring: Links = [
      ['A', 'refines', 'B'],
      ['B', 'refines', 'C'],
      ['C', 'refines', 'A'],
    ];
    expect(statuses({ nodes: ['A', 'B', 'C'], links: ring })).toEqual({
      ...{ A: 'uncovered', B: 'uncovered', C: 'uncovered' },
    });
    const open = {
      nodes: ['A', 'B', 'C', 'D'],
      links: [...ring, ['D', 'refines', 'B']] as Links,
      traces: [tested('D')],
      results: { 'test D': PASSED },
    };
    expect(statuses(open)).toEqual({
      ...{ A: '(passing)', B: '(passing)', C: '(passing)', D: 'passing' },
    });
    const verified = { ...open, traces: [tested('D'), tested('C')] };
    expect(statuses(verified)).toMatchObject({
      A: '(unexecuted)',
      B: '(unexecuted)',
      C: 'unexecuted',
    });
  });
});

describe('a large graph [PQRS-29]', () => {
  test('as a chain of 100,000 is gone down to its end', () => {
    const nodes = Array.from({ length: 100_000 }, (_, at) => `N${at}`);
    const links = nodes.slice(1).map((id, at) => [id, 'refines', `N${at}`] as const);
    const { stories, summary } = makeCovered({
      nodes,
      links,
      traces: [tested('N99999')],
    }).coverage();
    expect(stories[0]).toMatchObject({ status: 'unexecuted', inherited: true });
    expect(summary.stories).toEqual({ total: 100_000, own: 1, inherited: 99_999, notCounted: 0 });
  });

  test('as diamonds of 40 layers is gone through once', () => {
    const layers = Array.from({ length: 40 }, (_, at) => [`L${at}`, `R${at}`]);
    const links = layers
      .slice(1)
      .flatMap((below, at) =>
        below.flatMap((id) => (layers[at] ?? []).map((to) => [id, 'refines', to] as const)),
      );
    const traces = [tested('L39'), tested('R39')];
    const results = { 'test L39': PASSED, 'test R39': FAILED };
    const { stories } = makeCovered({ nodes: layers.flat(), links, traces, results }).coverage();
    const inherited = stories.filter((story) => story.inherited);
    expect(inherited.length).toBe(78);
    expect(new Set(inherited.map(({ status }) => status))).toEqual(new Set(['failing']));
  });

  test('with 10,000 links on one node and 10,000 nodes that refine one', () => {
    const nodes = ['A', ...Array.from({ length: 10_000 }, (_, at) => `N${at}`)];
    const links = nodes.slice(1).map((id) => [id, 'refines', 'A'] as const);
    const traces = nodes
      .slice(1)
      .flatMap((id) => [tested(id), { storyId: 'N0', to: `test ${id}` }]);
    const { of } = makeCovered({ nodes, links, traces }).coverage();
    expect(of('A')?.status).toBe('unexecuted');
    expect(of('N0')?.tests.length).toBe(10_001);
  });
});

const ids = Array.from({ length: 9 }, (_, at) => `N${at}`);
const anyId = fc.constantFrom(...ids);
const anyProject: fc.Arbitrary<MadeCoverage> = fc.record({
  nodes: fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(id),
        active: fc.boolean().map((retired) => !retired || id !== 'N3'),
        status: fc.constantFrom(null, null, null, 'rejected', 'approved'),
        kind: fc.constantFrom(
          'story' as const,
          'requirement' as const,
          'story' as const,
          'section' as const,
        ),
      }),
    ),
  ),
  links: fc.array(
    fc.tuple(
      anyId,
      fc.constantFrom('refines' as const, 'derives' as const, 'depends' as const),
      anyId,
    ),
    { maxLength: 16 },
  ),
  traces: fc.uniqueArray(
    fc.record({
      storyId: fc.constantFrom(...ids, 'gone'),
      to: fc.constantFrom('test a', 'test b', 'command c', 'scenario F', 'scenario gone', 'file x'),
      old: fc.boolean(),
    }),
    { maxLength: 5, selector: ({ storyId, to }) => `${storyId} ${to}` },
  ),
  scenarios: fc.constantFrom([], [{ key: 'F', storyIds: ['N1', 'N9'] }]),
  justified: fc.constantFrom([], [['N2', 'test', 'x'] as const]),
  needs: fc.constantFrom(['test'] as const, ['scenario', 'test'] as const, ['scenario'] as const),
  results: fc.dictionary(
    fc.constantFrom('test a', 'test b', 'command c'),
    fc.record({
      status: fc.constantFrom(
        'passed' as const,
        'passed' as const,
        'failed' as const,
        'skipped' as const,
      ),
      old: fc.boolean(),
    }),
  ),
  verdicts: fc.array(fc.record({ storyId: anyId }), { maxLength: 2 }),
});

/** By what every node reaches, looked up pair by pair. */
function bruteForce(made: MadeCoverage, alone: readonly StoryCoverage[]) {
  const own = new Map(alone.map((story) => [story.storyId, story]));
  const below = (id: string): string[] => {
    const story = own.get(id);
    const ownLinks =
      story?.traces.some(({ type }) => type === 'verifies') ||
      story?.needs.some(({ reason }) => reason !== null);
    if (ownLinks) return [];
    return (made.links ?? []).flatMap(([from, type, to]) =>
      to === id && from !== id && type !== 'depends' && own.has(from) ? [from] : [],
    );
  };
  const reached = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = below(from);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...below(id));
    }
    return seen;
  };
  const isLast = (id: string) => [...reached(id)].every((other) => reached(other).has(id));
  return alone.map(({ storyId, status }) => {
    if (isLast(storyId)) return [storyId, status, false];
    const ends = [...reached(storyId)].filter(isLast).map((id) => own.get(id)?.status);
    return [storyId, WORST_FIRST.find((one) => ends.includes(one)), true];
  });
}

describe('the coverage of any project [PQRS-29]', () => {
  test('is what looking at every pair of nodes says', () => {
    fc.assert(
      fc.property(anyProject, (made) => {
        const { stories } = makeCovered(made).coverage();
        const alone = makeCovered({ ...made, links: [] }).coverage().stories;
        // Without its links a story has other fingerprints, but so have its traces.
        const expected = bruteForce(made, alone);
        expect(
          stories.map(({ storyId, status, inherited }) => [storyId, status, inherited]),
        ).toEqual(expected as never);
      }),
      { numRuns: 500 },
    );
  });

  test('adds up', () => {
    fc.assert(
      fc.property(anyProject, (made) => {
        const state = makeCovered(made);
        const { stories, summary } = state.coverage();
        const { total, own, inherited, notCounted } = summary.stories;
        const sum = (shares: Record<string, Share>) =>
          Object.values(shares).reduce((all, { count }) => all + count, 0);
        expect([total, own + inherited]).toEqual([stories.length, stories.length]);
        expect([sum(summary.statuses), sum(summary.inherited)]).toEqual([total, inherited]);
        const normative = made.nodes.filter(
          (node) => typeof node !== 'string' && node.kind !== 'section',
        );
        expect(total + notCounted).toBe(normative.length);
        for (const { met, justified, unmet, covered } of summary.needs) {
          expect(met + justified + unmet).toBe(total);
          expect(covered).toEqual(shareOf(met + justified, total));
        }
        const { traces } = summary;
        expect(traces.valid + traces.suspect + traces.broken).toBe(traces.total);
        expect(traces.total).toBeGreaterThanOrEqual(made.traces?.length ?? 0);
        expect(Object.keys(summary.statuses)).toEqual([...COVERAGE_STATUSES]);
      }),
    );
  });
});
