// The line that long commands show.
import { describe, expect, test } from 'bun:test';
import { type OnProgress, withProgress } from '../../src/cli/progress-bar.ts';
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

  test('grows from stage to stage, names each, and leaves an empty line', async () => {
    const lines = await shown((onProgress) => {
      for (const stage of IMPORT_STAGES) onProgress?.(stage, 1, 2);
    });
    expect(lines.slice(0, 3)).toEqual(['', '5 %  reading files', '40 %  parsing']);
    expect(lines).toHaveLength(IMPORT_STAGES.length + 2);
    expect(lines.at(-1)).toBe('');
  });

  test('never goes back, and is not drawn for every call', async () => {
    const lines = await shown((onProgress) => {
      onProgress?.('parsing', 9, 10);
      for (let at = 0; at < 1000; at += 1) onProgress?.('parsing', at, 1000);
      onProgress?.('reading', 0, 0);
    });
    const shares = lines.flatMap((line) => /^(\d+) %/.exec(line)?.[1] ?? []).map(Number);
    expect(shares.length).toBeLessThan(1002);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test('leaves an empty line where the work fails', async () => {
    let text = '';
    const terminal = { isTTY: true, write: (more: string) => (text += more) };
    const work = async (onProgress?: OnProgress) => {
      onProgress?.('storing', 1, 1);
      throw new Error('no');
    };
    await expect(withProgress(terminal, false, work)).rejects.toThrow('no');
    expect(text).toEndWith('storing\r\u001b[2K');
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
