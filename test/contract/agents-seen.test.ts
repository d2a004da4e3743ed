// Agents as the state of runs shows them: who is at work on what, and who is idle.
import { describe, expect } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { SeenAgent } from '../../src/agents/runs/model.ts';
import { flow } from '../support/flow.ts';
import { makeJudgedProject } from '../support/judged-project.ts';
import type { Page } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };

type Seen = Page<Static<typeof SeenAgent>>;

interface Claimed {
  id: string;
  items: { runId: string; attempt: number }[];
  lease: { id: string; token: string };
}

describe('GET /run-state?view=agents [PQRS-47]', () => {
  flow('says who holds what, and who is idle', OWN, async (api) => {
    const project = await makeJudgedProject(api);
    const { as, get } = project;
    const agents = async () => (await get<Seen>('/run-state', { view: 'agents' })).items;
    expect(await agents()).toEqual([]);
    const commandIds = [
      await project.command({ storyIds: ['US-1', 'US-2'] }),
      await project.command({ key: 'other' }),
    ];
    const ran = { finishedAt: '2026-01-01T00:00:03Z', startedAt: '2026-01-01T00:00:00Z' };
    await project.report([{ name: 'a', status: 'passed' }], { commandId: 'unit', ...ran });
    const body = { commandIds, agent: { name: 'robot', version: '7' } };
    const suite = (await api.post('/agent/suite', body, as)).must(201).json<Claimed>();
    const own = { name: 'by hand', agent: { name: 'ann' } };
    const opened = (await api.post('/run-state', own, as)).must(201);
    const { runId, attempt, lease } = opened.json<{
      runId: string;
      attempt: number;
      lease: Claimed['lease'];
    }>();
    const end = { state: 'passed', runId, attempt, seq: 1 };
    const { id, token } = lease;
    (await api.post('/run-state', { ...end, lease: { id, token } }, as)).must(200);
    const seen = await agents();
    expect(seen.map(({ agent, state, holding }) => [agent.name, state, holding])).toEqual([
      ['ann', 'idle', 0],
      ['robot', 'working', 2],
    ]);
    const [first] = seen[1]!.holds;
    expect(first).toMatchObject({
      ...{ suiteId: suite.id, runId: suite.items[0]!.runId, state: 'queued', estimateMs: 3000 },
      stories: [
        { id: 'US-1', title: 'Paying once' },
        { id: 'US-2', title: 'A receipt' },
      ],
    });
    const listed = await get<Page<object>>('/run-state', { suiteId: suite.id });
    expect(listed.items.at(-1)).toEqual(first as object);
    (await api.get('/run-state?view=agents&limit=1', as)).mustBe(422, 'invalid', '/limit');
  });
});
