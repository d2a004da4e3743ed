// The long version of test/crash/damaged-pages.test.ts. `DAMAGE_PAGES` says how many pages, 200 unless
// told, and `DAMAGE_SEED` which.
import { expect, test } from 'bun:test';
import { pageRounds } from '../crash/page-rounds.ts';
import { makeGoodFolder } from '../support/damaged-instance.ts';

const pages = Number(process.env.DAMAGE_PAGES ?? 200);
const seed = Number(process.env.DAMAGE_SEED ?? 1);

test(`${pages} pages overwritten one at a time: nothing wrong is answered`, async () => {
  const { broken, ...counts } = await pageRounds(await makeGoodFolder(), pages, seed);
  console.log(JSON.stringify(counts));
  expect(broken).toEqual([]);
}, 3_600_000);
