// Graphs written in a worker, which is how large ones are: the same text as where they are asked for.
import { describe, expect, test } from 'bun:test';
import {
  type GraphFormat,
  MEDIA_TYPES,
  writeElsewhere,
  writeGraph,
} from '../../../src/requirements/export/write-graph.ts';
import { indexGraph } from '../../../src/requirements/graph/graph-index.ts';
import { applyOverlays } from '../../../src/requirements/overlay/apply.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import { readSources } from '../../support/read-sources.ts';

const { normative } = DEFAULT_SETTINGS;
const STORIES = Array.from(
  { length: 50 },
  (_, at) => `## US-${at}: Story ${at}\n\nIt says ${at}.\n`,
);
const subject = { project: 'shop', revision: 3, at: 0 };

describe('a large graph [PQRS-8]', () => {
  const source = { path: 'a.md', bytes: Buffer.from(STORIES.join('\n')), format: null };
  const { nodes, edges } = readSources([source], normative).graph;
  const bytes = new TextEncoder().encode(JSON.stringify({ revision: 3, nodes, edges }));
  const edits = [{ storyId: 'US-7', set: { title: 'Otherwise' } }];

  test.each(Object.keys(MEDIA_TYPES) as GraphFormat[])('is the same as %s', async (format) => {
    for (const cut of [{}, { q: 'otherwise' }]) {
      const how = { format, cut, subject };
      const laid = applyOverlays(indexGraph({ nodes, edges }), { edits, additions: [] }, normative);
      const elsewhere = await writeElsewhere('p', async () => ({
        ...how,
        graph: bytes.slice(),
        overlays: { edits, additions: [], normative },
      }));
      expect(elsewhere).toEqual(await writeGraph(laid.graph, how));
      const canonical = await writeElsewhere('p', async () => {
        return { ...how, graph: bytes.slice(), overlays: undefined };
      });
      expect(canonical).toEqual(await writeGraph({ nodes, edges }, how));
    }
  });

  test('refuses a root that is not there', async () => {
    const job = {
      format: 'dot',
      cut: { root: 'US-99' },
      subject,
      graph: bytes,
      overlays: undefined,
    } as const;
    await expect(writeElsewhere('p', async () => job)).rejects.toMatchObject({ code: 'not_found' });
  });
});
