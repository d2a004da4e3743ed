// How tests and commands went of late, in what shows them: results of a run, commands, stories.
import { describe, expect } from 'bun:test';
import { flow } from '../support/flow.ts';
import { makeJudgedProject } from '../support/judged-project.ts';
import type { Command, Page, Result, Run } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const STATUS = { '+': 'passed', '-': 'failed', '!': 'broken', '.': 'skipped' };

interface Tested {
  coverage: { tests: (Pick<Command, 'strip' | 'failingSince'> & { kind: string })[] };
}

describe('strip and failingSince [PQRS-44]', () => {
  const histories: [name: string, words: string, since: number | null][] = [
    ['of one that passes', '-+', null],
    ['of one that fails for the first time', '++-', 2],
    ['of one that goes on failing', '+-!--', 1],
    ['of one that was skipped meanwhile', '+-.-', 1],
    ['of one that is skipped now', '+--.', null],
    ['of one that has always failed', '--', 0],
    ['of one that fails for longer than the strip', `+${'-'.repeat(22)}`, 1],
  ];
  for (const [name, words, since] of histories)
    flow(`${name} say so wherever it is shown`, OWN, async (api) => {
      const project = await makeJudgedProject(api);
      const commandId = await project.command({ storyIds: ['US-2'] });
      const runs: string[] = [];
      for (const [at, word] of [...words].entries()) {
        const status = STATUS[word as keyof typeof STATUS];
        // The second keeps a run from being broken where the first is skipped.
        const results = [
          { name: 'pays [US-1]', status, durationMs: 5 },
          { name: 'other', status: 'passed', durationMs: 1 },
        ];
        runs.push(await project.report(results, { commandId, commit: `c${at}` }));
      }
      const { results } = await project.get<Run>('/test-runs', { id: runs[0]! });
      const [shown, other] = results.items;
      expect(shown!.strip.map(({ runId }) => runId)).toEqual(runs.slice(-20));
      expect(shown!.strip.map(({ status }) => status as string)).toEqual(
        [...words].slice(-20).map((word) => STATUS[word as keyof typeof STATUS]),
      );
      const last = words.length - 1;
      expect(shown!.strip.at(-1)).toMatchObject({ runId: runs[last]!, commit: `c${last}` });
      expect(shown!.failingSince).toEqual(
        since === null
          ? null
          : { runId: runs[since]!, commit: `c${since}`, at: expect.stringMatching(/Z$/) as never },
      );
      expect(other!.failingSince).toBeNull();
      const { coverage } = await project.get<Tested>('/srs-story/US-1');
      const { strip, failingSince } = shown!;
      expect(coverage.tests).toMatchObject([{ kind: 'test', strip, failingSince }]);
      const slowest = await project.get<Page<Result & { commandId: string }>>('/test-runs', {
        view: 'slowest',
      });
      expect(slowest.items.map((test) => test.commandId)).toEqual([commandId, commandId]);
      const { items } = await project.get<Page<Command>>('/test-commands');
      expect(items[0]!.strip.map(({ runId }) => runId)).toEqual(runs.slice(-20));
      const ofCommand = await project.get<Tested>('/srs-story/US-2');
      expect(ofCommand.coverage.tests).toMatchObject([
        { kind: 'command', strip: items[0]!.strip, failingSince: items[0]!.failingSince },
      ]);
    });

  flow('say where a test passed and failed in one run', OWN, async (api) => {
    const project = await makeJudgedProject(api);
    const commandId = await project.command();
    const tried = { name: 'a', status: 'passed', attempts: [{ status: 'failed' }] };
    const id = await project.report([tried], { commandId });
    await project.report([{ name: 'a', status: 'passed' }], { commandId });
    const { results } = await project.get<Run>('/test-runs', { id });
    expect(results.items[0]!.strip.map(({ flaky }) => flaky)).toEqual([true, false]);
    const { items } = await project.get<Page<Command>>('/test-commands');
    expect(items[0]!.strip.map(({ flaky }) => flaky)).toEqual([true, false]);
  });
});
