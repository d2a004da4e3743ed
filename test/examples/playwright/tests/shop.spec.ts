import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';

test('shows the price of an article [SHOP-1]', async ({ request }, info) => {
  const answer = await request.get('/articles/tea');
  const path = info.outputPath('answer.json');
  await writeFile(path, await answer.body());
  await info.attach('answer', { path });
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toEqual({ price: '4.50' });
});

test('knows no article that is not there [SHOP-2]', async ({ request }) => {
  expect((await request.get('/articles/coffee')).status()).toBe(404);
});
