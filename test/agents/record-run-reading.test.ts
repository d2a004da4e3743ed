// Reading a report in a worker, and what is stored of it where that ends early.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readRowsAside } from '../../src/agents/recording/reading.ts';
import { LARGE_CASES as CASES, largeReport as report } from '../support/large-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('reading a report in a worker', () => {
  const path = join(temporaryFolder('report'), 'report.xml');
  const job = {
    content: path,
    mediaType: 'application/xml',
    root: undefined,
    secrets: [],
    storyIds: new Set<string>(),
  };
  const onFields = async () => [];

  test('ends when a batch cannot be stored, and stores none behind it', async () => {
    await Bun.write(path, report('worker'));
    let stored = 0;
    const onRows = async () => {
      stored += 1;
      await Bun.sleep(5);
      if (stored === 2) throw new Error('no room');
    };
    expect(await readRowsAside(job, { onFields, onRows }).catch(String)).toContain('no room');
    await Bun.sleep(50);
    expect(stored).toBe(2);
  });

  test('gives each result once, in order, whatever the pace', async () => {
    const positions: number[] = [];
    const onRows = async ({ rows }: { rows: string }) => {
      if (positions.length % 3 === 0) await Bun.sleep(3);
      for (const [position] of JSON.parse(rows) as [number][]) positions.push(position);
    };
    const read = await readRowsAside(job, { onFields, onRows });
    expect(read.totals).toMatchObject({ tests: CASES, passed: CASES });
    expect(positions).toEqual(Array.from({ length: CASES }, (_, at) => at));
  });

  test('links to what the project says are stories, as it does at once', async () => {
    const text = report('worker').replaceAll('[US-1]', '[LOGIN] @12');
    await Bun.write(path, text);
    const named = async (content: string | Uint8Array, storyIds: ReadonlySet<string>) => {
      const ids = new Set<string>();
      const onRows = async (rows: { storyIds: readonly string[] }) => {
        for (const id of rows.storyIds) ids.add(id);
      };
      await readRowsAside({ ...job, content, storyIds }, { onFields, onRows });
      return [...ids].sort();
    };
    const known = new Set(['LOGIN', '12', 'OTHER']);
    expect(await named(path, known)).toEqual(['12', 'LOGIN']);
    expect(await named(new TextEncoder().encode(text), known)).toEqual(['12', 'LOGIN']);
    expect(await named(path, new Set())).toEqual([]);
  });
});
