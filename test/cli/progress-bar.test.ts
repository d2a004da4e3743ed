// The line that long commands show.
import { describe, expect, test } from 'bun:test';
import { type OnProgress, withProgress } from '../../src/cli/command.ts';
import { IMPORT_STAGES, seldom } from '../../src/requirements/import/progress.ts';

async function shown(
  work: (onProgress: OnProgress | undefined) => void,
  { isTTY = true, quiet = false } = {},
): Promise<string[]> {
  let text = '';
  const terminal = { isTTY, write: (more: string) => (text += more) };
  await withProgress(terminal, quiet, async (onProgress) => work(onProgress));
  return text.split('\r\u001b[2K');
}

describe('progress [PQRS-5]', () => {
  test('is shown on a terminal only', async () => {
    for (const where of [{ isTTY: false }, { quiet: true }])
      await shown((onProgress) => expect(onProgress).toBeUndefined(), where);
  });

  test('names each stage, and leaves an empty line', async () => {
    const lines = await shown((onProgress) => {
      for (const stage of IMPORT_STAGES) onProgress?.(stage, 1, 2);
    });
    expect(lines.slice(0, 3)).toEqual(['', 'reading 50 %', 'parsing 50 %']);
    expect(lines).toHaveLength(IMPORT_STAGES.length + 2);
    expect(lines.at(-1)).toBe('');
  });

  test('is not drawn for every call', async () => {
    const lines = await shown((onProgress) => {
      for (let at = 0; at < 1_000_000; at += 1) onProgress?.('parsing', at, 1_000_000);
    });
    expect(lines.length).toBeLessThan(1000);
  });

  test('leaves an empty line where the work fails', async () => {
    let text = '';
    const terminal = { isTTY: true, write: (more: string) => (text += more) };
    const work = async (onProgress?: OnProgress) => {
      onProgress?.('storing', 1, 1);
      throw new Error('no');
    };
    await expect(withProgress(terminal, false, work)).rejects.toThrow('no');
    expect(text).toEndWith('storing 100 %\r\u001b[2K');
  });
});

test('progress is passed on seldom, the beginning of a stage always', () => {
  const reported: string[] = [];
  const report = seldom((stage, done) => reported.push(`${stage} ${done}`), 60_000);
  for (let done = 0; done < 1000; done += 1) report('parsing', done, 1000);
  report('graph', 0, 1);
  report('graph', 1, 1);
  expect(reported).toEqual(['parsing 0', 'graph 0']);
});
