// Does with each folder of test/examples what its README or workflow file says, in a copy of it, against the
// executable. What needs tools that are not here and cannot be had is skipped with a line.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openBrowser } from '../support/browser.ts';
import { type Example, openExample, TOOLS } from '../support/example.ts';
import { openWorkplace, type Served, type Workplace } from '../support/running-executable.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fillReport, press, sendReport } from '../support/widget-page.ts';

const INSTALL = `python3 -m venv ${TOOLS} && ${TOOLS}/bin/pip install -q pytest`;
const PYTEST = `{ pytest --version || { ${INSTALL}; }; }`;

const browser = await openBrowser();

let place: Workplace;
let server: Served;

beforeAll(async () => {
  place = await openWorkplace('examples');
  server = await place.serve();
});
afterAll(() => server.stop());

const open = (...named: [tools: string, ...names: string[]]) =>
  openExample(place, server.address, ...named);

/** From the first to the last. */
async function runsOf({ list }: Example): Promise<string[]> {
  const texts = (await list('/test-runs')).map(
    ({ status, totals: { passed, tests, flaky } }) =>
      `${status} ${passed}/${tests}${flaky > 0 ? ' flaky' : ''}`,
  );
  return texts.reverse();
}

const BY_HAND = [
  { name: 'bun-test', tools: 'bun --version', runs: ['passed 2/2'] },
  { name: 'pytest', tools: PYTEST, runs: ['passed 3/3'] },
  { name: 'go', tools: 'go run gotest.tools/gotestsum@v1.13.0 --version', runs: ['passed 3/3'] },
  {
    name: 'playwright',
    tools: 'npm install --no-audit --no-fund',
    runs: ['failed 1/2', 'passed 2/2 flaky'],
    evidence: { of: '/test-runs?status=failed', name: /^answer.*\.json$/ },
  },
  {
    name: 'python-agent',
    tools: 'python3 --version && curl --version',
    runs: ['failed 0/1', 'passed 1/1'],
    evidence: { of: '/issues', name: /^console\.log$/ },
  },
];

test.each(BY_HAND)('$name', async ({ name, tools, runs, evidence }) => {
  const example = await open(tools, name);
  if (!example) return;
  const readme = readFileSync(join(example.folder, 'README.md'), 'utf8');
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(readme) ?? [];
  const gates: number[] = [];
  for (const line of commands.trim().split('\n')) {
    const { code, out } = example.run(line, [place.folder]);
    expect(code, `${line}\n${out}`).toBe(Number(/ # (\d)/.exec(line)?.[1] ?? 0));
    if (line.startsWith('pqrs gate')) gates.push(code);
  }
  expect(gates).toEqual([1, 0]);
  expect(await runsOf(example)).toEqual(runs);
  if (!evidence) return;
  const [first] = await example.list(evidence.of);
  const names = first?.attachments.map((file) => file.name);
  expect(names).toContainEqual(expect.stringMatching(evidence.name));
});

const SHA = '0123456789abcdef0123456789abcdef0123456';

function mend(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

interface Step {
  name: string;
  if?: string;
  run?: string;
}

/** Runs steps as a runner of GitHub does: each after those before, and after a failure what wants to be. */
function runSteps({ folder, run }: Example, steps: readonly Step[], id: string) {
  const temporary = temporaryFolder('runner');
  const [paths, summary] = [join(temporary, 'path'), join(temporary, 'summary')];
  for (const file of [paths, summary]) writeFileSync(file, '');
  const variables = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_JOB: 'tests',
    GITHUB_PATH: paths,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: id,
    GITHUB_SHA: `${SHA}${id}`,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: temporary,
    DOWNLOAD_PQRS: `file://${place.folder}/pqrs`,
  };
  const codes: Record<string, number> = {};
  let out = '';
  for (const step of steps) {
    const hasFailed = Object.values(codes).some((code) => code !== 0);
    if (!step.run || (hasFailed && step.if === undefined)) continue;
    const path = readFileSync(paths, 'utf8').split('\n').filter(Boolean);
    const ended = run(step.run, path, variables);
    codes[step.name] = ended.code;
    out += ended.out;
  }
  return { codes, out, summary: readFileSync(summary, 'utf8') };
}

test('github-actions', async () => {
  const example = await open('curl --version', 'bun-test', 'github-actions');
  if (!example) return;
  const workflow = join(example.folder, '.github/workflows/tests.yml');
  const steps = parse(readFileSync(workflow, 'utf8')).jobs.tests.steps as Step[];
  const cart = join(example.folder, 'cart.ts');
  mend(cart, 'price * count', 'price');
  const red = runSteps(example, steps, '1');
  expect(red.codes).toEqual({ 'Fetch pqrs': 0, Requirements: 0, Tests: 1, Report: 1, Gate: 1 });
  expect(red.out).toMatch(/^::error file=cart\.test\.ts,line=\d+/m);
  expect(red.out).toMatch(/^::error file=docs\/stories\.md,line=3,title=failing::/m);
  expect(red.summary).toContain('CART-1');
  mend(cart, 'sum + price', 'sum + price * count');
  const green = runSteps(example, steps, '2');
  expect(green.codes).toEqual({ 'Fetch pqrs': 0, Requirements: 0, Tests: 0, Report: 0, Gate: 0 });
  // The same report of the same job is the same run.
  runSteps(
    example,
    steps.filter(({ name }) => /^(?:Fetch pqrs|Report)$/.test(name)),
    '2',
  );
  expect(await runsOf(example)).toEqual(['failed 1/2', 'passed 2/2']);
});

interface GitLabJob {
  stage: string;
  before_script: string[];
  script: string[];
}

type Pipeline = { stages: string[]; default: Partial<GitLabJob> } & Record<string, GitLabJob>;

/** Runs each job, those of a later stage too after a failure, as `when: always` wants. */
function runPipeline({ folder, run }: Example, id: string): Record<string, number> {
  const pipeline = parse(readFileSync(join(folder, '.gitlab-ci.yml'), 'utf8')) as Pipeline;
  const { stages, default: defaults, ...jobs } = pipeline;
  const inOrder = Object.entries(jobs).sort(
    ([, a], [, b]) => stages.indexOf(a.stage) - stages.indexOf(b.stage),
  );
  const ended = inOrder.map(([name, job]) => {
    const { before_script = [], script } = { ...defaults, ...job };
    const variables = {
      CI: 'true',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_SHA: `${SHA}${id}`,
      CI_JOB_ID: `${id}${stages.indexOf(job.stage)}`,
      CI_JOB_NAME: name,
      CI_PIPELINE_ID: id,
      CI_PROJECT_DIR: folder,
      GITLAB_CI: 'true',
      DOWNLOAD_PQRS: `file://${place.folder}/pqrs`,
    };
    return [name, run([...before_script, ...script].join('\n'), [], variables).code];
  });
  return Object.fromEntries(ended);
}

test('gitlab-ci', async () => {
  const example = await open(`${PYTEST} && curl --version`, 'pytest', 'gitlab-ci');
  if (!example) return;
  const read = (name: string) => readFileSync(join(example.folder, name), 'utf8');
  const cart = join(example.folder, 'cart.py');
  mend(cart, 'price * count', 'price');
  expect(runPipeline(example, '1')).toEqual({ tests: 1, gate: 1 });
  expect(read('tests.xml')).toMatch(/<testsuite [^>]*tests="3" failures="2"/);
  expect(JSON.parse(read('gate.json'))).toEqual([
    expect.objectContaining({
      check_name: 'failing',
      severity: 'critical',
      location: { path: 'docs/stories.md', lines: { begin: 3 } },
    }),
  ]);
  mend(cart, 'sum(price', 'sum(price * count');
  expect(runPipeline(example, '2')).toEqual({ tests: 0, gate: 0 });
  expect(JSON.parse(read('gate.json'))).toEqual([]);
  expect(await runsOf(example)).toEqual(['failed 1/3', 'passed 3/3']);
});

test.skipIf(!browser)('widget', async () => {
  const text = readFileSync(join(import.meta.dir, '../examples/widget/index.html'), 'utf8');
  let html = '';
  const site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
  });
  const own = await openWorkplace('widget');
  const { address, stop } = await own.serve([], { PQRS_CORS_ORIGINS: site.url.origin });
  const token = async (capability: string) =>
    (await own.run(['token', 'create', '--capability', capability])).out.trim();
  html = text
    .replace('http://127.0.0.1:4870', address)
    .replace('pqrs_…', await token('widget:write'));
  const page = await browser!.newPage();
  await page.goto(site.url.href);
  await press(page, 'Buy');
  await fillReport(page, 'Nothing is bought');
  await sendReport(page);
  const headers = { Authorization: `Bearer ${await token('agent:execute')}` };
  const answer = await fetch(`${address}/api/issues?number=1`, { headers });
  expect(await answer.json()).toMatchObject({
    title: 'Nothing is bought',
    context: {
      network: [{ method: 'POST', url: `${site.url.origin}/cart`, status: 200 }],
      actions: [{ type: 'click', selector: '#buy' }],
    },
  });
  await stop();
  await site.stop(true);
});
