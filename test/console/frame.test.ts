// The frame in a real browser: signing in, going to pages, the palette, the keys.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';
import { buildConsole, type ConsolePage, openConsole } from '../support/console.ts';
import { type Instance, openInstance } from '../support/instance.ts';

const browser = await openBrowser();
let instance: Instance;
let url: string;
let token: string;
let widgetToken: string;

beforeAll(async () => {
  await buildConsole();
  instance = await openInstance();
  const made = await instance.makeProject('default');
  token = made.token;
  widgetToken = (await instance.makeToken(made.id, ['widget:write'])).text;
  ({ url } = await instance.listening());
});

afterAll(() => instance.close());

describe.skipIf(!browser)('the console', () => {
  const opened: ConsolePage[] = [];
  const open = async (bearer?: string) => {
    const one = await openConsole(browser!, url, bearer);
    opened.push(one);
    return one;
  };

  test('takes a token that is pasted, and forgets it on signing out', async () => {
    const { page } = await open();
    await page.getByLabel('Token').fill('pqrs_none');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-problem=unauthorized]').waitFor();
    await page.getByLabel('Token').fill(widgetToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-problem=forbidden]').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 1]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('takes the token of the link out of the address, and sends it to nobody', async () => {
    const { page } = await open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${url}/#token=${token}`);
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(page.url()).toBe(`${url}/#/overview`);
    expect(asked.filter((one) => one.includes(token))).toEqual([]);
    expect(asked.filter((one) => !one.startsWith(url))).toEqual([]);
  });

  test('goes to pages by keys and by the palette, and says so', async () => {
    const { page, faults } = await open(token);
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(page.url()).toEndWith('#/runs');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('setti');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`is accessible before and after signing in (${colorScheme})`, async () => {
      for (const bearer of [undefined, token]) {
        const { page, close } = await openConsole(browser!, url, bearer, { colorScheme });
        expect(await violations(page)).toEqual([]);
        await close();
      }
    });

  afterAll(() => Promise.all(opened.map(({ close }) => close())));
});
