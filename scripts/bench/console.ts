// The first page of the console in a real browser, of a large project, against an empty page of the
// same server; and whether the matrix follows the keys.
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { median } from './statistics.ts';

const STORIES = 25_000;
const TESTS_PER_STORY = 4;
const REPORTS = 10;
const ROUNDS = 9;
const OVERVIEW_MS = 500;
const REQUEST_MS = 50;
const TASK_MS = 50;
const SCROLL_MS = 10_000;

export const consoleBench: Bench = async ({ pqrs, say }) => {
  const server = await startPqrs(pqrs);
  await seed(server);
  const browser = await launchBrowser().catch((error) => void say(`skipped: ${error.message}`));
  if (!browser) return [];
  const rows = [...(await overview(browser, server, say)), await matrix(browser, server, say)];
  await browser.close();
  await server.stop();
  return rows;
};

async function overview(
  browser: Browser,
  { port, token }: RunningPqrs,
  say: (text: string) => void,
): Promise<Row[]> {
  const page = await browser.newPage();
  const url = `http://127.0.0.1:${port}`;
  await page.goto(`${url}/#token=${token}`);
  await page.locator('[data-verdict]').waitFor();
  const [empty, complete, requests]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    empty?.push(await timed(page, `${url}/docs/tokens`, 'body'));
    complete?.push(await timed(page, `${url}/?${round}#/overview`, '[data-verdict]'));
    const spent = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/api/'))
        .map(({ duration }) => duration),
    );
    requests?.push(Math.max(...spent));
    if (round === 0) say(`the overview asks for ${spent.length} answers`);
  }
  await page.close();
  const [none = 0, all = 0, slowest = 0] = [empty, complete, requests].map((one) =>
    median(one ?? []),
  );
  return [
    {
      work: `the overview of ${whole(STORIES)} stories and ${whole(STORIES * TESTS_PER_STORY)} tests, until it is complete`,
      measured: `${short(all - none)} ms more than a page of text: ${short(all)} ms against ${short(none)} ms`,
      limit: `within ${OVERVIEW_MS} ms`,
      ok: all - none <= OVERVIEW_MS,
    },
    {
      work: 'the slowest answer that it asks for',
      measured: `median ${short(slowest)} ms`,
      limit: `under ${REQUEST_MS} ms`,
      ok: slowest < REQUEST_MS,
    },
  ];
}

async function timed(page: Page, address: string, complete: string): Promise<number> {
  const began = performance.now();
  await page.goto(address);
  await page.locator(complete).first().waitFor();
  return performance.now() - began;
}

async function matrix(
  browser: Browser,
  { port, token }: RunningPqrs,
  say: (text: string) => void,
): Promise<Row> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`http://127.0.0.1:${port}/#token=${token}`);
  await page.locator('main h1').first().waitFor();
  await page.goto(`http://127.0.0.1:${port}/#/matrix?view=test`);
  await page.locator('[role=grid]').waitFor();
  await page.locator('[role=grid] [tabindex="0"]').first().focus();
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: 'longtask' });
  });
  const ends = performance.now() + SCROLL_MS;
  for (let press = 0; performance.now() < ends; press += 1)
    await page.keyboard.press(
      press % 40 === 39 ? 'PageDown' : press % 3 === 2 ? 'ArrowRight' : 'ArrowDown',
    );
  const tasks = await page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks);
  const longest = Math.max(0, ...tasks);
  say(`the matrix: ${tasks.length} tasks of 50 ms or more, the longest ${short(longest)} ms`);
  await page.close();
  return {
    work: `the matrix of ${whole(STORIES)} stories, moved through by keys for ${SCROLL_MS / 1000} s`,
    measured: `longest task ${longest === 0 ? 'under 50' : short(longest)} ms`,
    limit: `none over ${TASK_MS} ms`,
    ok: longest <= TASK_MS,
  };
}

async function seed({ port, token }: RunningPqrs): Promise<void> {
  const client = await openClient(port);
  const content = Array.from(
    { length: STORIES },
    (_, at) => `## US-${at}: Story ${at}\n\nThe shop shall do ${at} of its things.\n`,
  );
  const sources = Array.from({ length: 50 }, (_, at) => ({
    path: `part-${at}.md`,
    content: `# Part ${at}\n\n${content.slice(at * 500, (at + 1) * 500).join('\n')}`,
  }));
  await client.askJson(
    { method: 'POST', path: '/api/projects', token, json: { slug: 'default', sources } },
    200,
  );
  const total = STORIES * TESTS_PER_STORY;
  for (let report = 0; report < REPORTS; report += 1) {
    const results = Array.from({ length: total / REPORTS }, (_, index) => {
      const at = report * (total / REPORTS) + index;
      const storyId = `US-${at % STORIES}`;
      const status = at % 97 === 0 ? 'failed' : 'passed';
      return {
        name: `holds ${at} [${storyId}]`,
        file: `test/${at % 200}.test.ts`,
        status,
        durationMs: 5,
      };
    });
    await client.askJson({ method: 'POST', path: '/api/test-runs', token, json: { results } }, 201);
  }
  client.close();
}
