// An item as it is run: what is kept of it for its submission, and that nothing of it is left running.
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SuiteItemView } from '../../../src/agents/suites/model.ts';
import { type ItemPlan, runItem } from '../../../src/cli/runner/run-item.ts';
import { processesOfRun } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let runs = 0;

function planOf(script: string, more: Partial<SuiteItemView> = {}): ItemPlan {
  runs += 1;
  const path = realpathSync(temporaryFolder('item'));
  const item: SuiteItemView = {
    ...{ position: 1, runId: `run_item_${process.pid}_${runs}`, attempt: 1, commandId: 'cmd_1' },
    ...{ kind: 'shell', name: 'item', argv: ['sh', '-c', script], cwd: null, env: {} },
    ...{ timeoutMs: 60_000, report: { format: 'none', path: null }, storyIds: [], ...more },
  };
  return {
    ...{
      item,
      work: { path, allowOutside: false, protectedFiles: [] },
      folder: temporaryFolder('item-run'),
    },
    ...{ credentials: {}, secrets: [], killGraceMs: 200, interrupt: new AbortController().signal },
  };
}

const JUNIT = { format: 'junit', path: 'r.xml' } as const;

describe('an item', () => {
  test('that passed leaves its report as it was, and nothing else', async () => {
    const plan = planOf('cp seed r.xml; echo fine', { report: JUNIT });
    const report = '<testsuite><testcase name="a"/></testsuite>';
    writeFileSync(join(plan.work.path, 'seed'), report);
    const finished = await runItem(plan);
    const notes = finished?.notes;
    expect(notes).toEqual([]);
    expect(finished?.files).toEqual([]);
    expect(finished?.run.execution).toMatchObject({
      exitCode: 0,
      signal: null,
      consoleTail: 'fine\n',
    });
    // What the command writes there later is not of this run.
    writeFileSync(join(plan.work.path, 'r.xml'), 'later');
    expect(readFileSync(finished?.report?.path ?? '', 'utf8')).toBe(report);
    const { startedAt, reportModifiedAt } = finished?.run.execution ?? {};
    expect(Date.parse(`${reportModifiedAt}`)).toBeGreaterThanOrEqual(Date.parse(`${startedAt}`));
  });

  test('that failed leaves its console without its credentials', async () => {
    const plan = planOf('echo "$KEY"; exit 1');
    const secrets = ['long-enough'];
    const finished = await runItem({ ...plan, credentials: { KEY: 'long-enough' }, secrets });
    expect(finished?.files.map(({ name }) => name)).toEqual(['console.log']);
    const [console] = finished?.files ?? [];
    expect(readFileSync(console?.path ?? '', 'utf8')).toBe('***\n');
    expect(statSync(console?.path ?? '').mode & 0o777).toBe(0o600);
    expect(finished?.run.execution.consoleTail).toBe('***\n');
  });

  test('that failed leaves report and evidence without what must not be sent', async () => {
    const report = [
      '<testsuite><testcase name="a"><failure message="$KEY"/>',
      '<system-out>[[ATTACHMENT|shot.txt]]</system-out></testcase></testsuite>',
    ].join('');
    const script = `echo "it is $KEY" > shot.txt; echo '${report}' | sed "s/\\$KEY/$KEY/g" > r.xml; exit 1`;
    const plan = planOf(script, { report: JUNIT, env: { KEY: 'own-token' } });
    const finished = await runItem({ ...plan, secrets: ['own-token'] });
    const read = (path = '') => readFileSync(path, 'utf8');
    expect(read(finished?.report?.path)).toContain('message="***"');
    expect(finished?.files.map(({ name }) => name)).toEqual(['console.log', 'shot.txt']);
    expect(read(finished?.files[1]?.path)).toBe('it is ***\n');
    expect(finished?.run.execution.reportSha256).toBe(
      createHash('sha256').update(read(finished?.report?.path)).digest('hex'),
    );
  });

  test.each([
    ['a link', 'ln -s seed r.xml', { format: 'junit', path: 'r.xml' }],
    ['below a link', 'rmdir out; ln -s other out', { format: 'junit', path: 'out/r.xml' }],
  ] as const)('whose report is %s has none', async (_, script, report) => {
    const plan = planOf(script, { report });
    const { path } = plan.work;
    mkdirSync(join(path, 'other'));
    for (const name of ['seed', 'other/r.xml'])
      writeFileSync(join(path, name), '<testsuite><testcase name="a"/></testsuite>');
    const finished = await runItem(plan);
    const notes = finished?.notes;
    expect(finished).toMatchObject({ report: null, run: { execution: { exitCode: 0 } } });
    expect(notes?.join()).toContain('link');
  });

  test('that prints more than is stored leaves the end of it', async () => {
    const plan = planOf('head -c 5000000 /dev/zero | tr "\\0" x; echo; echo end; exit 1');
    const [console] = (await runItem(plan))?.files ?? [];
    const text = readFileSync(console?.path ?? '', 'utf8');
    expect(text).toMatch(/^pqrs: \d+ bytes before this are left out\n/);
    expect(text).toEndWith('x\nend\n');
    expect(text.length).toBeLessThan(1_100_000);
  });

  test('that is interrupted leaves nothing', async () => {
    const plan = planOf('touch begun; sleep 1000');
    const interrupt = new AbortController();
    const running = runItem({ ...plan, interrupt: interrupt.signal });
    while (!existsSync(join(plan.work.path, 'begun'))) await Bun.sleep(5);
    interrupt.abort();
    expect(await running).toBeUndefined();
    expect(processesOfRun(plan.item.runId)).toEqual([]);
    const before = await runItem({ ...plan, interrupt: AbortSignal.abort() });
    expect(before).toBeUndefined();
  });
});
