// Issues: the list and its figures, one issue with its evidence, changes, filing.
import { describe, expect, test } from 'bun:test';
import type { IssueCounts } from '../../src/evidence/issues/counts.ts';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';
import type { Issue } from '../support/shapes.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('issues', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => ['issues', `issues/${suite.seeded.issueId}`]);

  const read = (id: string) => suite.ask<Issue>('GET', `/issues?id=${id}`);
  const file = (fields: object) =>
    suite.ask('POST', '/issues', { title: 'A fault of the till', severity: 'minor', ...fields });

  test('the chips count what the rows then are', async () => {
    const { page, show, faults } = await suite.open();
    const { open } = await suite.ask<IssueCounts>('GET', '/issues?view=counts');
    await show('issues?severity=blocker,critical,minor&status=open,triaged,in_progress');
    const counts = page.locator('.filters [aria-current=true] .count');
    expect((await counts.allTextContents()).map(Number)).toEqual([
      open.blocker + open.critical + open.minor,
      open.blocker,
      open.critical,
      open.minor,
    ]);
    const rows = page.locator('[data-row]');
    expect(await rows.count()).toBe(open.blocker + open.critical + open.minor);
    await page.getByRole('link', { name: /^minor/ }).click();
    await rows.nth(open.blocker + open.critical).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Paying twice/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test('words narrow the list, and stand in the address', async () => {
    const { page, show } = await suite.open();
    await show('issues');
    await page.getByRole('searchbox').fill('button');
    await page.waitForURL(/q=button/);
    await page.getByText('A minor fault of the cart').waitFor({ state: 'detached' });
    expect(await page.locator('[data-row]').count()).toBe(1);
    await file({ title: 'A fault that kim looks at', assignee: 'kim' });
    await show('overview');
    await show('issues');
    await page.getByLabel('Assignee').selectOption('kim');
    await page.waitForURL(/assignee=kim/);
    await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 1);
    await page.getByText('A fault that kim looks at').waitFor();
  });

  test('shows pictures, and asks for a fresh link where one has run out', async () => {
    const { page, show } = await suite.open();
    let refused = 0;
    await page.route('**/api/files/**', (route) => {
      refused += 1;
      return refused === 1 ? route.fulfill({ status: 403 }) : route.continue();
    });
    await show(`issues/${suite.seeded.issueId}`);
    const picture = page.getByRole('img', { name: /checkout\.png/ });
    await page.waitForFunction(() => {
      const image = document.querySelector<HTMLImageElement>('.picture img');
      return image?.complete && image.naturalWidth > 0;
    });
    expect(await picture.count()).toBe(1);
    expect(refused).toBe(2);
  });

  test('files that may hold script are downloaded and not shown', async () => {
    const { id } = await file({ title: 'With a drawing' });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran=1"/>';
    await suite.ask('POST', `/issues/${id}/attachments`, svg, {
      'content-type': 'image/svg+xml',
      'content-disposition': 'attachment; filename="drawing.svg"',
    });
    const { page, show } = await suite.open();
    await show(`issues/${id}`);
    const link = page.getByRole('link', { name: /drawing\.svg/ });
    expect(await link.getAttribute('download')).toBe('drawing.svg');
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('an owner moves, assigns, labels and comments', async () => {
    const { id } = await file({});
    const { page, show } = await suite.open();
    await show(`issues/${id}`);
    await page.getByRole('button', { name: 'Triage' }).click();
    await page.locator('[data-status=triaged]').waitFor();
    await page.getByLabel('Severity').selectOption('major');
    await page.getByText('severity:').waitFor();
    await page.getByLabel('Assignee').fill('kim');
    await page.keyboard.press('Enter');
    await page.getByText('assignee:').waitFor();
    await page.getByLabel('Labels').fill('till, money');
    await page.keyboard.press('Enter');
    await page.getByText('labels:').waitFor();
    await page.getByLabel('Comment').fill('Seen again.');
    await page.getByRole('button', { name: 'Comment' }).click();
    await page.locator('.comment').waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('Fixed in build').fill('2026.2.1');
    await page.locator('form').getByRole('button', { name: 'Resolve' }).click();
    await page.locator('[data-status=resolved]').waitFor();
    const issue = await read(id);
    expect(issue).toMatchObject({
      ...{ severity: 'major', assignee: 'kim', labels: ['till', 'money'] },
      ...{ status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' },
    });
    expect(issue.history.flatMap(({ changes }) => changes.map(({ to }) => to))).toContain(
      'Seen again.',
    );
  });

  test('a change of what somebody else has changed is refused, beside what was written', async () => {
    const { id } = await file({});
    const { page, show } = await suite.open();
    await show(`issues/${id}`);
    await suite.ask('PATCH', `/issues/${id}`, { priority: 'P1' });
    await page.getByLabel('Assignee').fill('kim');
    await page.keyboard.press('Enter');
    await page.locator('[data-problem=precondition_failed]').waitFor();
    expect(await page.getByLabel('Assignee').inputValue()).toBe('kim');
    await page.getByRole('button', { name: /somebody else/ }).click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('input')].some(({ value }) => value === 'P1'),
    );
    expect((await read(id)).assignee).toBeNull();
  });

  test('files an issue with a picture, and keeps its texts until they are sent', async () => {
    const { page, show, faults } = await suite.open();
    await show('issues/new?storyIds=PAY-1');
    await page.getByLabel('Title').fill('Paid in the wrong money');
    await page.getByLabel('What you saw').fill('Pounds.');
    await page.reload();
    expect(await page.getByLabel('What you saw').inputValue()).toBe('Pounds.');
    await page.getByLabel('Pictures').setInputFiles({
      ...{ name: 'münze.png', mimeType: 'image/png' },
      buffer: Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
        'base64',
      ),
    });
    await page.getByRole('button', { name: 'File it' }).click();
    await page.getByRole('heading', { name: 'Paid in the wrong money' }).waitFor();
    const issue = await read(page.url().split('/').at(-1)!);
    expect(issue).toMatchObject({ description: 'Pounds.', storyIds: ['PAY-1'] });
    expect(issue.attachments).toMatchObject([{ name: 'münze.png', kind: 'screenshot' }]);
    expect(faults).toEqual([]);
  });

  test('a token that may only read sees no control', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit']);
    const { page, show } = await suite.open(text);
    await show(`issues/${suite.seeded.issueId}`);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
    await show('issues');
    expect(await page.getByRole('link', { name: 'File an issue' }).count()).toBe(0);
  });

  test('an id that there is not is said to be unknown', async () => {
    const { page, show } = await suite.open();
    await show('issues/iss_none');
    await page.locator('[data-problem=not_found]').waitFor();
  });
});
