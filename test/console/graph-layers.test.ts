// The places of a drawing's boxes.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { placeInLayers } from '../../src/console/pages/graph/layers.ts';

const SIZES = { width: 200, height: 50, columnGap: 60, rowGap: 20 };
const graphs = fc.uniqueArray(fc.nat(20).map(String), { minLength: 1 }).chain((keys) =>
  fc.record({
    keys: fc.constant(keys),
    links: fc.array(fc.record({ from: fc.constantFrom(...keys), to: fc.constantFrom(...keys) }), {
      maxLength: 40,
    }),
  }),
);

describe('layers', () => {
  test('no two boxes overlap, and all are inside', () => {
    fc.assert(
      fc.property(graphs, ({ keys, links }) => {
        const { places, width, height } = placeInLayers(keys, links, SIZES);
        const corners = [...places.values()];
        expect(corners).toHaveLength(keys.length);
        for (const [at, { x, y }] of corners.entries()) {
          expect(x >= 0 && y >= 0 && x + 200 <= width && y + 50 <= height).toBe(true);
          for (const other of corners.slice(at + 1))
            expect(x !== other.x || Math.abs(y - other.y) >= 70).toBe(true);
        }
      }),
    );
  });

  test('without a circle every link leads to the right', () => {
    fc.assert(
      fc.property(graphs, ({ keys, links }) => {
        const forward = links.filter(({ from, to }) => Number(from) < Number(to));
        const { places } = placeInLayers(keys, forward, SIZES);
        for (const { from, to } of forward)
          expect(places.get(from)!.x).toBeLessThan(places.get(to)!.x);
      }),
    );
  });
});
