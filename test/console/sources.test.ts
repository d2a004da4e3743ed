// Sources: findings by file, changes between revisions, and the import of a folder.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import type { Page } from 'playwright-core';
import type { SourceAudit } from '../../src/requirements/audit/model.ts';
import type { GraphDiff } from '../../src/requirements/graph/diff.ts';
import { openBrowser } from '../support/browser.ts';
import { type Ask, askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('sources', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => ['sources', 'sources/changes?from=first&to=2']);

  test('findings are those of the audit, cut by severity, kind and file', async () => {
    const { page, show, faults } = await suite.open();
    const audit = await suite.ask<Static<typeof SourceAudit>>('GET', '/srs-source-audit');
    const { errors, warnings, infos, codes } = audit.summary;
    await show('sources');
    const counts = await page.locator('.chip .count').allTextContents();
    expect(counts.map(Number)).toEqual([errors, warnings, infos]);
    const rowsAre = (count: number) =>
      page.waitForFunction((n) => document.querySelectorAll('.finding').length === n, count);
    await rowsAre(audit.findings.length);
    await show('sources?severity=error');
    await rowsAre(errors);
    await page.getByLabel('Kind of finding').selectOption('dangling_reference');
    await page.waitForURL(/code=dangling_reference/);
    await page.getByRole('link', { name: 'CART-3' }).waitFor();
    await rowsAre(codes.dangling_reference!);
    await show('sources?path=payment.md');
    const own = audit.findings.filter(({ path }) => path === 'payment.md');
    await rowsAre(own.length);
    expect(faults).toEqual([]);
  });

  test('changes say word by word what became of a text, and what it costs', async () => {
    const { page, show } = await suite.open();
    const diff = await suite.ask<GraphDiff>('GET', '/srs-graph?view=diff&from=first&to=2');
    await show('sources/changes?from=first&to=2');
    const counts = await page.locator('.chip .count').allTextContents();
    expect(counts.map(Number)).toEqual(
      [diff.changed, diff.added, diff.removed, diff.moved, diff.verdicts].map((one) => one.length),
    );
    expect(await page.locator('.change del').allTextContents()).toContain('emptied');
    await page.getByRole('link', { name: /^Verdicts lost/ }).click();
    await page.getByRole('heading', { name: 'Changed' }).waitFor({ state: 'detached' });
    await page.getByText('was passed, becomes').first().waitFor();
    expect(await page.locator('.change').count()).toBe(diff.verdicts.length);
    await page.getByLabel('From').selectOption('2');
    await page.waitForURL(/from=2/);
    await page.getByText('Nothing changed').waitFor();
  });

  const folder = temporaryFolder('import');
  const write = (name: string, files: Record<string, string>) => {
    const root = join(folder, name);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return root;
  };
  const item = (id: string, text: string) => `## ${id}: About ${id}\n\nThe till shall ${text}.\n\n`;
  const ITEMS = ['TILL-1', 'TILL-2', 'TILL-3'];
  const chooseFolder = (page: Page, path: string) =>
    page.getByLabel('Choose a folder').setInputFiles(path);
  const revisionOf = async (ask: Ask) =>
    (await ask<{ items: { revision: number }[] }>('GET', '/projects')).items[0]!.revision;

  test('a folder is compared, imported, and refused with nothing kept', async () => {
    const { token } = await suite.instance.makeProject('tills');
    const ask = askOf(suite.url, token);
    const { page, show, faults } = await suite.open(token);
    await show('sources');
    await page.getByRole('link', { name: 'Import' }).click();
    const first = write('docs', {
      'till.md': `# Till\n\n${ITEMS.map((id) => item(id, 'open')).join('')}`,
      'node_modules/other.md': item('OTHER-1', 'not be read'),
    });
    await chooseFolder(page, first);
    await page.getByText('4 added').waitFor();
    expect(await revisionOf(ask)).toBe(0);
    await page.getByRole('button', { name: 'Import as revision 1' }).click();
    await page.locator('[data-revision="1"]').waitFor();
    const { items } = await ask<{ items: { sources: { path: string }[] }[] }>('GET', '/projects');
    expect(items[0]!.sources.map(({ path }) => path)).toEqual(['till.md']);

    const half = write('half', { 'till.md': `# Till\n\n${item('TILL-1', 'close')}` });
    await chooseFolder(page, half);
    await page.getByText('1 changed, 2 removed').waitFor();
    await page.getByRole('button', { name: 'Import as revision 2' }).click();
    await page.locator('[data-problem=drops_stories]').waitFor();
    expect(await revisionOf(ask)).toBe(1);
    await page.getByRole('button', { name: 'Import all the same' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.locator('[data-revision="2"]').waitFor();
    expect(await revisionOf(ask)).toBe(2);

    await chooseFolder(page, write('broken', { 'till.reqif': '<REQ-IF><' }));
    await page.locator('[data-problem=invalid]').waitFor();
    expect(await page.getByRole('button', { name: /^Import as/ }).count()).toBe(0);
    expect(await revisionOf(ask)).toBe(2);
    await page.getByRole('link', { name: 'Sources', exact: true }).click();
    await page.getByText('revision 2').first().waitFor();
    expect(faults).toEqual([]);
  });

  test('files join those that are there, and one that somebody else changed is refused', async () => {
    const { token } = await suite.instance.makeProject('merged');
    const ask = askOf(suite.url, token);
    const source = (path: string, id: string) => ({ path, content: item(id, 'open') });
    const send = (sources: object[]) =>
      ask('POST', '/projects', { slug: 'merged', mode: 'merge', sources });
    await send([source('a.md', 'A-1')]);
    const { page, show } = await suite.open(token);
    await show('sources/import');
    const file = join(write('more', { 'b.md': item('B-1', 'close') }), 'b.md');
    await page.getByLabel('Choose files').setInputFiles(file);
    await page.getByText('2 added, 2 removed').waitFor();
    await page.getByRole('combobox').selectOption('merge');
    await page.getByText('2 added;').waitFor();
    await send([source('c.md', 'C-1')]);
    await page.getByRole('button', { name: 'Import as revision 2' }).click();
    await page.locator('[data-problem=conflict]').waitFor();
    expect(await revisionOf(ask)).toBe(2);
  });

  test('files that are dropped are compared', async () => {
    const { page, show } = await suite.open();
    await show('sources/import');
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['# Till\n\n## TILL-9: Open\n\nIt shall open.\n'], 'till.md'));
      return data;
    });
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('2 added, 9 removed').waitFor();
  });

  test('a token that may only read sees no way to import', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['agent:execute']);
    const { page, show } = await suite.open(text);
    await show('sources');
    expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0);
    await show('sources/import');
    expect(await page.locator('main input').count()).toBe(0);
  });
});
