// Times of an execution as they are shown, of rows too that hold them as they were sent.
import { expect, test } from 'bun:test';
import { withTimesInUtc } from '../../src/quality/runs/fields.ts';

test.each([
  ['2026-01-02T02:00:00+02:00', '2026-01-02T00:00:00.000Z'],
  ['2026-01-02t00:00:00.123456z', '2026-01-02T00:00:00.123Z'],
  ['2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ['1969-12-31T23:59:59Z', null],
  [null, null],
])('%p is shown as %p, and nothing else is changed', (sent, shown) => {
  const rest = { exitCode: 1, signal: null, consoleTail: '2026-01-02T02:00:00+02:00' };
  for (const name of ['startedAt', 'finishedAt', 'reportModifiedAt'])
    expect(withTimesInUtc({ ...rest, [name]: sent })).toEqual({ ...rest, [name]: shown });
});
