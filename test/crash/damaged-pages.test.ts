// Pages of the database that hold nothing but garbage; `test/long/damage.campaign.ts` takes more.
import { expect, test } from 'bun:test';
import { makeGoodFolder } from '../support/damaged-instance.ts';
import { pageRounds } from './page-rounds.ts';

test('20 pages, one at a time: right answers, or `damaged` beside a failing check', async () => {
  const good = await makeGoodFolder();
  const report = await pageRounds(good, 20, 18);
  expect(report.broken).toEqual([]);
  expect(report.pages).toBe(20);
  expect(report.noticed + report.refused).toBeGreaterThan(3);
}, 120_000);
