// What results mean for stories: runs in every format change how they are covered, what comes next
// for them and what became of their verdicts, and later ones change it back.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeJudgedProject, resultOf } from '../support/judged-project.ts';
import { largeReport } from '../support/large-report.ts';

const OWN = { ownBecause: 'it makes a project' };
/** What comes first is left to chance. */
const APART = { ...OWN, compare: false };

interface HeldRun {
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
}

const junit = (outcome: string, named = 'holds [US-1]', inside = '') =>
  `<testsuites><testsuite name="suite"><testcase name="${named}" classname="suite" time="0.04">${inside}${outcome}</testcase></testsuite></testsuites>`;
const STORY_PROPERTY = '<properties><property name="story" value="US-1"/></properties>';
const ctrf = (status: string, more: object) =>
  JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: 'jest' },
      summary: {
        ...{ tests: 1, passed: status === 'passed' ? 1 : 0, failed: status === 'failed' ? 1 : 0 },
        ...{ pending: 0, skipped: 0, other: 0, start: 1_790_000_000, stop: 1_790_000_001 },
      },
      tests: [{ name: 'holds', status, duration: 40, ...more }],
    },
  });

/** The same test in each format and with each way to name a story: how it passes, how it fails. */
const FORMATS: [said: string, type: string, passed: string, failed: string][] = [
  [
    'our JSON with the story in the name',
    'application/json',
    JSON.stringify({ results: [resultOf('US-1')] }),
    JSON.stringify({ results: [resultOf('US-1', 'failed')] }),
  ],
  [
    'our JSON that says which story',
    'application/json',
    JSON.stringify({ results: [{ name: 'holds', status: 'passed', storyIds: ['US-1'] }] }),
    JSON.stringify({ results: [{ name: 'holds', status: 'failed', storyIds: ['US-1'] }] }),
  ],
  ['JUnit with the story in the name', 'text/xml', junit(''), junit('<failure message="no"/>')],
  [
    'JUnit with a property',
    'text/xml',
    junit('', 'holds', STORY_PROPERTY),
    junit('<error message="no"/>', 'holds', STORY_PROPERTY),
  ],
  [
    'CTRF with a tag',
    'application/vnd.ctrf+json',
    ctrf('passed', { tags: ['@US-1'] }),
    ctrf('failed', { tags: ['@US-1'] }),
  ],
  ['TAP', 'text/tap', '1..1\nok 1 - holds @US-1\n', '1..1\nnot ok 1 - holds @US-1\n'],
];

describe('a run, in whatever format it comes [PQRS-41, PQRS-45, PQRS-29]', () => {
  for (const [said, type, passed, failed] of FORMATS) {
    flow(`counts for the stories that its tests name: ${said}`, OWN, async (api) => {
      const project = await makeJudgedProject(api);
      const send = async (body: string) =>
        (
          await api.send('POST', '/test-runs', {
            headers: { ...project.as.headers, 'content-type': type },
            body,
          })
        ).must(201).id;
      expect(await project.statusOf('US-1')).toBe('uncovered');

      const good = await send(passed);
      const shown = await project.story('US-1');
      expect(shown.coverage).toMatchObject({
        status: 'passing',
        traces: [{ id: null, type: 'verifies', origin: 'tag' }],
        tests: [{ kind: 'test', result: 'passed' }],
      });
      expect(shown.lastResults).toMatchObject([{ status: 'passed', runId: good }]);
      expect(shown.lastResults[0]?.target.name).toContain('holds');
      expect(await project.gaps('US-1')).toEqual([]);
      expect((await project.workflow('US-1')).stage).toBe('validated');

      const bad = await send(failed);
      const broken = await project.story('US-1');
      expect(broken.coverage.status).toBe('failing');
      expect(broken.coverage.tests).toHaveLength(1);
      expect(broken.lastResults[0]).toMatchObject({ runId: bad });
      expect((await project.gaps('US-1')).map(([gap]) => gap)).toEqual(['failing_test']);

      await send(passed.replace('1..1', '1..1 '));
      expect(await project.statusOf('US-1')).toBe('passing');
      expect(await project.statusOf('US-2')).toBe('uncovered');
    });
  }

  const ODD = ['LLR001', 'auth-1', 'R_LOGIN', 'FOO-BAR', 'UTF-8', '12'];
  const ODD_SOURCE = JSON.stringify({
    ...{ format: 'pqrs-srs', version: 1, edges: [] },
    nodes: ODD.map((id) => ({ id, kind: 'story', title: `About ${id}`, statement: 'It holds.' })),
  });
  const NAMES = ODD.map((id, at) => (at % 2 === 0 ? `holds [${id}]` : `holds @${id}`));
  const ODD_REPORTS: [said: string, type: string, body: string][] = [
    [
      'our JSON',
      'application/json',
      JSON.stringify({ results: NAMES.map((name) => ({ name, status: 'passed' })) }),
    ],
    ['JUnit', 'application/xml', NAMES.map((name) => junit('', name)).join('')],
    ['CTRF with tags', 'application/vnd.ctrf+json', ctrf('passed', { tags: ODD })],
    ['TAP', 'text/tap', `1..6\n${NAMES.map((name, at) => `ok ${at + 1} - ${name}\n`).join('')}`],
    [
      'JUnit read in a worker',
      'application/xml',
      `${NAMES.map((name) => junit('', name)).join('')}${largeReport('large')}`,
    ],
  ];
  for (const [said, type, body] of ODD_REPORTS) {
    flow(`counts for stories whose ids look like no ids: ${said}`, OWN, async (api) => {
      const project = await makeJudgedProject(api, {}, { 'odd.json': ODD_SOURCE });
      const whole = type === 'application/xml' ? `<testsuites>${body}</testsuites>` : body;
      const send = (text: string) =>
        api.send('POST', '/test-runs', {
          headers: { ...project.as.headers, 'content-type': type },
          body: text,
        });
      // Ids are as they are written.
      (await send(whole.replaceAll('LLR001', 'llr001'))).must(201);
      expect(await project.statusOf('LLR001')).toBe('uncovered');
      (await send(whole)).must(201);
      for (const id of ODD) expect([id, await project.statusOf(id)]).toEqual([id, 'passing']);
    });
  }

  flow('counts for a story that was added, whatever its id', OWN, async (api) => {
    const { as, report, statusOf } = await makeJudgedProject(api);
    const result = resultOf('Login');
    await report([result]);
    const addition = { storyId: 'Login', title: 'Signing in', statement: 'As a user I sign in.' };
    (await api.post('/story-additions', addition, as)).must(201);
    expect(await statusOf('Login')).toBe('uncovered');
    await report([{ ...result, durationMs: 41 }]);
    expect(await statusOf('Login')).toBe('passing');
  });

  flow('that names other stories now covers these, and no longer the others', OWN, async (api) => {
    const { report, statusOf } = await makeJudgedProject(api);
    const same = { name: 'holds', path: ['suite'], status: 'passed' };
    await report([{ ...same, storyIds: ['US-1'] }]);
    expect([await statusOf('US-1'), await statusOf('US-2')]).toEqual(['passing', 'uncovered']);
    await report([{ ...same, storyIds: ['US-2', 'US-404'] }]);
    expect([await statusOf('US-1'), await statusOf('US-2')]).toEqual(['uncovered', 'passing']);
    await report([same]);
    expect([await statusOf('US-1'), await statusOf('US-2')]).toEqual(['uncovered', 'uncovered']);
  });

  flow('of an earlier text leaves the story stale until it is run again', OWN, async (api) => {
    const { report, statusOf, edit, workflow, gaps, bring } = await makeJudgedProject(api);
    await report([resultOf('US-1')]);
    await edit('US-1', { statement: 'As a customer I pay just once.' });
    expect(await statusOf('US-1')).toBe('stale');
    expect(await gaps('US-1')).toEqual([['stale_test', 'suite > holds [US-1]']]);
    const { stage, stages } = await workflow('US-1');
    expect(stage).toBe('executed');
    expect(stages.find(({ name }) => name === 'executed')).toMatchObject({
      state: 'suspect',
      missing: ['The test suite > holds [US-1] ran for an earlier text of it.'],
    });
    await report([resultOf('US-1', 'passed', { durationMs: 41 })]);
    expect(await statusOf('US-1')).toBe('passing');
    await bring({ 'shop.md': '# Shop\n\n## US-1: Paying\n\nAs a customer I pay.\n' });
    expect(await statusOf('US-1')).toBe('stale');
    // A run of the first revision says nothing of the second.
    await report([resultOf('US-1', 'passed', { durationMs: 42 })], { revision: 1 });
    expect(await statusOf('US-1')).toBe('stale');
  });
});

/** Sends the request of a workflow as it stands there. */
async function follow(
  api: Client,
  as: object,
  next: { method: string; path: string; body?: object } | undefined,
) {
  if (!next) throw new Error('there is no such action');
  const json = next.body === undefined ? {} : { json: next.body };
  return api.send(next.method, next.path.replace(/^\/api/, ''), { ...as, ...json });
}

describe('a command that names a story [PQRS-22, PQRS-50]', () => {
  flow('is led to its run by the workflow, request by request', OWN, async (api) => {
    const { as, workflow, statusOf } = await makeJudgedProject(api);
    const step = async (action: string) => {
      const { next } = await workflow('US-1');
      return follow(
        api,
        as,
        next.find((one) => one.action === action),
      );
    };
    const made = (await step('create_test_command')).must(201);
    expect(await statusOf('US-1')).toBe('unexecuted');
    expect((await workflow('US-1')).stages[3]).toMatchObject({
      ...{ name: 'executed', state: 'current' },
      missing: ['The command verify US-1 has not run.'],
    });
    const plan = (await step('plan_tests')).must(201).json<{ items: { commandId: string }[] }>();
    expect(plan.items.map(({ commandId }) => commandId)).toEqual([made.id]);
    const suite = (await step('claim_suite')).must(201).json<{
      items: { runId: string; attempt: number }[];
      lease: { id: string; token: string };
    }>();
    const { runId, attempt } = suite.items[0] as { runId: string; attempt: number };
    const lease = { id: suite.lease.id, token: suite.lease.token };
    const body = { runId, attempt, lease, results: [{ name: 'by hand', status: 'passed' }] };
    (await api.post('/test-runs', body, as)).must(201);
    expect(await statusOf('US-1')).toBe('passing');
    const { stage, stages } = await workflow('US-1');
    expect(stage).toBe('validated');
    expect(stages[3]).toMatchObject({ state: 'done', evidence: [runId] });
  });

  flow('is stale once it is another one, and is run anew', OWN, async (api) => {
    const { as, report, command, statusOf, gaps, workflow } = await makeJudgedProject(api);
    const id = await command();
    const run = (ms: number) =>
      report([{ name: 'x', status: 'passed', durationMs: ms }], { commandId: id });
    await run(1);
    expect(await statusOf('US-1')).toBe('passing');
    (await api.patch('/test-commands', { id, argv: ['true', '--all'] }, as)).must(200);
    expect(await statusOf('US-1')).toBe('stale');
    expect(await gaps('US-1')).toEqual([['stale_test', 'Unit tests']]);
    expect((await workflow('US-1')).stages[3]?.missing).toEqual([
      'The command Unit tests has been changed since it ran.',
    ]);
    (await api.patch('/test-commands', { id, name: 'All tests' }, as)).must(200);
    await run(2);
    expect(await statusOf('US-1')).toBe('passing');
  });

  for (const opened of ['claimed in a suite', 'opened by its agent'])
    flow(`is stale where it changed while a run was held: ${opened}`, APART, async (api) => {
      const { as, report, command, statusOf } = await makeJudgedProject(api);
      const id = await command();
      const hold = async () => {
        const agent = { name: 'robot' };
        if (opened === 'opened by its agent') {
          const body = { state: 'running', commandId: id, name: 'By hand', agent };
          return (await api.post('/run-state', body, as)).must(201).json<HeldRun>();
        }
        const body = { commandIds: [id], agent };
        const { lease, items } = (await api.post('/agent/suite', body, as))
          .must(201)
          .json<{ lease: HeldRun['lease']; items: HeldRun[] }>();
        return { ...items[0]!, lease };
      };
      const { runId, attempt, lease } = await hold();
      const held = { runId, attempt, lease: { id: lease.id, token: lease.token } };
      (await api.patch('/test-commands', { id, argv: ['true', '--all'] }, as)).must(200);
      await report([{ name: 'x', status: 'passed' }], held);
      expect(await statusOf('US-1')).toBe('stale');
    });

  flow('fails nothing in quarantine, and does again when that is over', OWN, async (api) => {
    const { as, report, command, statusOf, gaps } = await makeJudgedProject(api);
    const id = await command();
    await report([{ name: 'x', status: 'failed' }], { commandId: id });
    expect(await statusOf('US-1')).toBe('failing');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const quarantine = { owner: 'me', reason: 'unstable', until };
    (await api.patch('/test-commands', { id, state: 'quarantined', quarantine }, as)).must(200);
    expect(await statusOf('US-1')).toBe('unexecuted');
    expect(await gaps('US-1')).toEqual([['quarantined_test', 'Unit tests']]);
    (await api.patch('/test-commands', { id, state: 'active' }, as)).must(200);
    expect(await statusOf('US-1')).toBe('failing');
    (await api.patch('/test-commands', { id, state: 'archived' }, as)).must(200);
    expect(await statusOf('US-1')).toBe('uncovered');
  });
});

describe('scenarios [PQRS-29]', () => {
  flow('have the results of the tests that are called as they are', OWN, async (api) => {
    const feature =
      'Feature: Checkout\n\n  @US-1\n  Scenario: Twice\n    When I press twice\n    Then I pay once\n';
    const settings = { needs: ['scenario'] };
    const { report, statusOf, story } = await makeJudgedProject(api, settings, {
      'checkout.feature': feature,
    });
    expect(await statusOf('US-1')).toBe('unexecuted');
    const twice = (status: string) => ({ name: 'Twice', path: ['Checkout'], status });
    await report([twice('failed')]);
    expect(await statusOf('US-1')).toBe('failing');
    expect((await story('US-1')).lastResults[0]?.target).toMatchObject({
      ...{ kind: 'scenario', name: 'Twice' },
    });
    await report([twice('passed')]);
    expect(await statusOf('US-1')).toBe('passing');
    expect((await story('US-1')).lastResults[0]?.status).toBe('passed');
    await report([twice('skipped')]);
    expect(await statusOf('US-1')).toBe('unexecuted');
  });
});

describe('where passing tests validate [PQRS-37]', () => {
  const AUTO = { autoValidate: true };

  flow('a run says that a story passed, and a later one that it failed', OWN, async (api) => {
    const { report, story, statusOf, dispositions, edit } = await makeJudgedProject(api, AUTO);
    const run = await report([resultOf('US-1')]);
    expect((await story('US-1')).validation).toMatchObject({
      ...{ verdict: 'passed', standing: 'valid', by: 'system', evidence: run },
    });
    expect(await statusOf('US-1')).toBe('validated');
    expect(await dispositions()).toEqual({ 'US-1': 'transferable', 'US-2': 'missing' });

    await report([resultOf('US-1', 'failed')]);
    expect((await story('US-1')).validation).toMatchObject({ verdict: 'failed', by: 'system' });
    expect(await statusOf('US-1')).toBe('failing');
    await report([resultOf('US-1', 'passed', { durationMs: 41 })]);
    expect(await statusOf('US-1')).toBe('validated');

    await report([resultOf('US-2')]);
    await edit('US-1', { title: 'Paying' });
    expect(await statusOf('US-1')).toBe('stale');
    expect(await dispositions()).toEqual({ 'US-1': 'invalidated', 'US-2': 'suspect' });
    await report([resultOf('US-1', 'passed', { durationMs: 42 })]);
    expect(await statusOf('US-1')).toBe('validated');
    // What US-2 rests on has changed since it ran.
    expect((await story('US-2')).validation).toMatchObject({ standing: 'suspect' });
    await report([resultOf('US-2', 'passed', { durationMs: 43 })]);
    expect(await dispositions()).toEqual({ 'US-1': 'transferable', 'US-2': 'transferable' });
  });

  flow('what a person judged by a test is in doubt once it is another', OWN, async (api) => {
    const { as, report, dispositions } = await makeJudgedProject(api);
    const run = (contentSha256: string, ms: number) =>
      report([resultOf('US-1', 'passed', { contentSha256, durationMs: ms })]);
    await run('a'.repeat(64), 1);
    const results = [{ storyId: 'US-1', verdict: 'passed', method: 'test' }];
    (await api.post('/validation-transfer', { mode: 'record', results }, as)).must(200);
    expect((await dispositions())['US-1']).toBe('transferable');
    await run('b'.repeat(64), 2);
    expect((await dispositions())['US-1']).toBe('suspect_test');
    await run('a'.repeat(64), 3);
    expect((await dispositions())['US-1']).toBe('transferable');
  });

  flow('only branches that are judged count', OWN, async (api) => {
    const feature = 'Feature: Checkout\n\n  @US-2\n  Scenario: Sent\n    Then it is sent\n';
    const settings = { ...AUTO, judgedBranches: ['main'], needs: ['test', 'scenario'] };
    const { report, story } = await makeJudgedProject(api, settings, {
      'checkout.feature': feature,
    });
    const verdictOn = async (id: string) => (await story(id)).validation?.verdict ?? null;
    await report([resultOf('US-1')], { branch: 'next' });
    await report([resultOf('US-1', 'passed', { durationMs: 41 })]);
    expect(await verdictOn('US-1')).toBeNull();
    await report([resultOf('US-1')], { branch: 'main' });
    expect(await verdictOn('US-1')).toBe('passed');
    await report([resultOf('US-1', 'failed')], { branch: 'next' });
    expect(await verdictOn('US-1')).toBe('passed');

    const sent = (status: string) => ({ name: 'Sent', path: ['Checkout'], status });
    await report([resultOf('US-2'), sent('passed')], { branch: 'main' });
    expect(await verdictOn('US-2')).toBe('passed');
    await report([sent('failed')], { branch: 'main' });
    expect(await verdictOn('US-2')).toBe('failed');
    // Elsewhere it passes; where it is judged it did not.
    await report([sent('passed')], { branch: 'next' });
    await report([resultOf('US-2', 'passed', { durationMs: 41 })], { branch: 'main' });
    expect(await verdictOn('US-2')).toBe('failed');
    await report([sent('passed')], { branch: 'main' });
    expect(await verdictOn('US-2')).toBe('passed');
  });

  flow('runs that come at once leave the verdict of the newest results', APART, async (api) => {
    const { report, story } = await makeJudgedProject(api, AUTO);
    const names = Array.from({ length: 12 }, (_, at) => `part ${at} [US-1]`);
    const all = (status: 'passed' | 'failed', ms: number) =>
      Promise.all(
        names.map((name) => report([resultOf('US-1', status, { name, durationMs: ms })])),
      );
    await all('passed', 1);
    expect((await story('US-1')).validation).toMatchObject({ verdict: 'passed', by: 'system' });
    await all('failed', 2);
    expect((await story('US-1')).validation).toMatchObject({ verdict: 'failed', by: 'system' });
  });

  flow('nothing is said where the project does not wish it', OWN, async (api) => {
    const { report, story } = await makeJudgedProject(api);
    await report([resultOf('US-1')]);
    expect((await story('US-1')).validation).toBeNull();
  });
});
