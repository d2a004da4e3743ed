// States of the console's pages that are rarer than those of test/console.
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openBrowser, violations } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite } from '../support/console-suite.ts';

const browser = await openBrowser();
const MAX_ELEMENTS = 2500;

describe.skipIf(!browser)('runs, live and tests', () => {
  const suite = consoleSuite(browser);
  const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length);

  test('say how something comes there where nothing is', async () => {
    const { token } = await suite.instance.makeProject('empty');
    const { page, show, faults } = await suite.open(token);
    for (const address of ['runs', 'live', 'tests']) {
      await show(address);
      await page.locator('main pre.code', { hasText: 'pqrs ' }).first().waitFor();
      expect([address, await violations(page)]).toEqual([address, []]);
    }
    await show('runs?branch=none');
    await page.getByRole('link', { name: 'Show all' }).click();
    expect(page.url()).toEndWith('#/runs');
    expect(faults).toEqual([]);
  });

  test('say what is not there', async () => {
    const { page, show } = await suite.open();
    for (const [address, problem] of [
      ['runs/run_none', 'not_found'],
      ['live/run_none', 'not_found'],
      ['tests/none', 'not_found'],
      ['runs/here/compare/there', 'invalid'],
      ['runs?cursor=none', 'invalid'],
    ]) {
      await show(address!);
      await page.locator(`[data-problem=${problem}]`).waitFor();
    }
  });

  test('show why a run broke, what passes by now, and pictures', async () => {
    const { page, show, faults } = await suite.open();
    const broken = await suite.ask('POST', '/test-runs', {
      ...{ name: 'broken', results: [{ name: 'a', status: 'passed' }] },
      execution: { exitCode: 3 },
    });
    await show(`runs/${broken.id}`);
    await page.locator('section.verdict .message').waitFor();
    expect(await page.locator('section.verdict .says').textContent()).toBe('The run broke');
    await show(`runs/${suite.seeded.runs[2]}`);
    await page.getByText('passes by now').waitFor();
    const form = new FormData();
    form.set('run', JSON.stringify({ name: 'with a picture' }));
    const report =
      '<testsuite name="s"><testcase name="a"><failure>no</failure></testcase></testsuite>';
    form.set('report', new File([report], 'junit.xml', { type: 'application/xml' }));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>';
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    );
    form.set('shot', new File([png], 'shot.png', { type: 'image/png' }));
    form.set('drawing', new File([svg], 'drawing.svg', { type: 'image/svg+xml' }));
    const headers = { authorization: `Bearer ${suite.token}` };
    const sent = await fetch(`${suite.url}/api/test-runs`, { method: 'POST', headers, body: form });
    expect(sent.status).toBe(201);
    const { id } = (await sent.json()) as { id: string };
    await show(`runs/${id}`);
    const picture = page.locator('.attachments img').first();
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => {
      const shown = document.querySelector<HTMLImageElement>('.attachments img');
      return shown?.complete && shown.naturalWidth === 1;
    });
    expect(await page.locator('.attachments li').count()).toBe(2);
    expect(faults).toEqual([]);
  });

  test('a run that is still held leads to where it is followed', async () => {
    const { page, show } = await suite.open();
    const { runId } = await suite.ask<{ runId: string }>('POST', '/run-state', {
      ...{ name: 'by hand', agent: { name: 'ann' } },
    });
    await page.goto(`${suite.url}/#/runs/${runId}`);
    await page.getByRole('heading', { level: 1, name: 'by hand' }).waitFor();
    expect(page.url()).toEndWith(`#/live/${runId}`);
    await suite.ask('POST', '/run-state', { runId, state: 'cancelled' });
    await page.getByText('asked to stop').waitFor();
    await show('live');
    await page.getByRole('region', { name: 'ann' }).waitFor();
  });

  test('stay small with thousands of tests, and go on by pages', async () => {
    const { id, token } = await suite.instance.makeProject('large');
    expect(id).not.toBe(suite.projectId);
    const ask = askOf(suite.url, token);
    const runs: string[] = [];
    for (let run = 0; run < 22; run += 1) {
      const results = Array.from({ length: 1000 }, (_, at) => ({
        ...{ name: `case ${at} [PAY-${at}]`, file: `${at % 50}.test.ts`, durationMs: at },
        ...((at + run) % 3 === 0
          ? { status: 'failed', message: `no ${at}`, trace: 'at main\n'.repeat(40) }
          : { status: 'passed' }),
      }));
      runs.push((await ask('POST', '/test-runs', { commit: `c${run % 4}`, results })).id);
    }
    const { page, show, faults } = await suite.open(token);
    const [before, last] = runs.slice(-2);
    for (const address of [
      ...['runs', `runs/${last}`, `runs/${last}?status=all`, `runs/${last}/compare/${before}`],
      ...['tests', 'tests?list=flaky', 'tests?list=slowest', 'live'],
    ]) {
      await show(address);
      const count = await elements(page);
      expect([address, count < MAX_ELEMENTS]).toEqual([address, true]);
    }
    await show(`runs/${last}`);
    const first = await page.locator('article.result .opens').first().textContent();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForFunction(
      (name) => document.querySelector('article.result .opens')?.textContent !== name,
      first,
    );
    await page.getByRole('link', { name: 'First page' }).click();
    await page.locator('article.result .opens', { hasText: first! }).waitFor();
    expect(faults).toEqual([]);
  });
});
