// A worker that waits for the next import keeps nothing of the last one.
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRunner } from '../../../src/requirements/import/run-import.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';

const { normative } = DEFAULT_SETTINGS;
const text = Array.from({ length: 20_000 }, (_, at) => `## REQ-${at}: Holds ${at}\n`).join('\n');
const MiB = 2 ** 20;

test('an import in a worker leaves neither its files nor its graph in memory', async () => {
  const stops: (() => void)[] = [];
  const keeper = {
    whenStopping(listener: () => void) {
      stops.push(listener);
      return () => void stops.splice(stops.indexOf(listener), 1);
    },
  };
  async function importOnce(revision: number): Promise<WeakRef<Uint8Array>[]> {
    // In a buffer of its own, large enough to move to the worker and back.
    const bytes = new Uint8Array(2 * MiB).fill(0x20);
    new TextEncoder().encodeInto(text, bytes);
    const files = [{ path: 'all.md', format: 'markdown' as const, bytes }];
    const runner = openRunner(files, keeper);
    const { graph, text: all } = runner.run({ files, normative, revision });
    await all;
    const returned = (files[0] as { bytes: Uint8Array }).bytes;
    const made = await graph;
    expect(returned.byteLength).toBe(2 * MiB);
    expect(made.byteLength).toBeGreaterThan(2 * MiB);
    runner.close();
    return [new WeakRef(returned), new WeakRef(made)];
  }
  // The second one takes the worker of the first.
  for (const revision of [1, 2]) {
    const left = await importOnce(revision);
    expect(stops).toHaveLength(1);
    const held = () => left.filter((one) => one.deref() !== undefined).length;
    for (let turn = 0; turn < 50 && held() > 0; turn += 1) {
      await sleep(10);
      Bun.gc(true);
    }
    expect(held()).toBe(0);
  }
  for (const stop of [...stops]) stop();
  expect(stops).toEqual([]);
});
