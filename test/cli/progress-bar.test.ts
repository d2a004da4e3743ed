// The bar that long commands draw.
import { describe, expect, test } from 'bun:test';
import { openProgressBar, type Terminal } from '../../src/cli/progress-bar.ts';
import { IMPORT_STAGES, seldom } from '../../src/requirements/import/progress.ts';

function terminal(columns?: number): Terminal & { text: string } {
  const written = {
    isTTY: true,
    columns,
    text: '',
    write(text: string) {
      written.text += text;
    },
  };
  return written;
}

/** The lines as they stood on the terminal, one after the other. */
const drawn = (text: string) => text.split('\r\u001b[2K').slice(1);

describe('the bar [PQRS-5]', () => {
  test('is drawn on a terminal only', () => {
    expect(openProgressBar({ write: () => {} }, false)).toBeUndefined();
    expect(openProgressBar({ isTTY: false, write: () => {} }, false)).toBeUndefined();
    expect(openProgressBar(terminal(), true)).toBeUndefined();
    expect(openProgressBar(terminal(), false)).toBeDefined();
  });

  test('grows from stage to stage, names each, and leaves an empty line', () => {
    const on = terminal(100);
    const bar = openProgressBar(on, false);
    for (const stage of IMPORT_STAGES) bar?.show(stage, 1, 2);
    bar?.end();
    bar?.end();
    const lines = drawn(on.text);
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(IMPORT_STAGES.length);
    expect(lines[1]).toBe(`[${'#'.repeat(16)}${'-'.repeat(24)}]  40 %  parsing`);
    const shares = lines.map((line) => Number(/(\d+) %/.exec(line)?.[1]));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test('never goes back, and is not drawn for every call', () => {
    const on = terminal(100);
    const bar = openProgressBar(on, false);
    bar?.show('parsing', 9, 10);
    for (let at = 0; at < 1000; at += 1) bar?.show('parsing', at, 1000);
    bar?.show('reading', 0, 0);
    const shares = drawn(on.text).map((line) => Number(/(\d+) %/.exec(line)?.[1]));
    expect(shares.length).toBeLessThan(1002);
    expect([shares[0], shares.at(-1)]).toEqual([64, 69]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test.each([undefined, 0])('is drawn for 80 columns where the terminal has %p', (columns) => {
    const on = terminal(columns);
    openProgressBar(on, false)?.show('storing', 1, 1);
    expect(on.text).toBe(`\r\u001b[2K[${'#'.repeat(40)}] 100 %  storing`);
  });

  test.each([80, 40, 20, 8, 1])('fits into %d columns', (columns) => {
    const on = terminal(columns);
    const bar = openProgressBar(on, false);
    for (const stage of IMPORT_STAGES) bar?.show(stage, 1, 2);
    for (const line of drawn(on.text)) expect(line.length).toBeLessThan(columns);
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
