// A project of its own whose stories are judged by what tests report of them.
import type { Client } from './client.ts';
import { makeRequirementProject, type RequirementProject } from './requirement-project.ts';
import type { Workflow } from './shapes.ts';

export const SHOP = `# Shop

## US-1: Paying once

As a customer I pay once.

Acceptance criteria:

- A second press of the button charges nothing

## US-2: A receipt

As a customer I have a receipt.

Acceptance criteria:

- It is sent

Depends on: US-1
`;

export interface StoryAnswer {
  coverage: {
    status: string;
    traces: { id: string | null; type: string; origin: string }[];
    tests: { kind: string; id: string; name: string | null; result: string | null }[];
  };
  lastResults: {
    target: { kind: string; name: string | null };
    status: string;
    runId: string;
    durationMs: number | null;
  }[];
  validation: { verdict: string; standing: string; by: unknown; evidence: string | null } | null;
}

export type Next = Workflow['next'][number];

/** What a project says of its stories. */
export interface JudgedProject extends RequirementProject {
  story(id: string): Promise<StoryAnswer>;
  statusOf(id: string): Promise<string>;
  workflow(id: string): Promise<Workflow>;
  /** The gaps of a story: what is missing, and what it is called that it is missing of. */
  gaps(id: string): Promise<[gap: string, name: string | null][]>;
  /** What became of the verdicts, by story. */
  dispositions(): Promise<Record<string, string>>;
  /** Records a run of our own JSON; gives its id. */
  report(results: object[], over?: object): Promise<string>;
  /** Makes a command; gives its id. */
  command(over?: object): Promise<string>;
  /** Lets a story say something else, at once. */
  edit(storyId: string, set: object): Promise<void>;
}

/** Makes a project with two stories, of which the second rests on the first. */
export async function makeJudgedProject(
  api: Client,
  settings: object = {},
  more: Record<string, string> = {},
): Promise<JudgedProject> {
  const project = await makeRequirementProject(api, settings);
  const { as, get } = project;
  await project.bring({ 'shop.md': SHOP, ...more });
  const story = (id: string) => get<StoryAnswer>(`/srs-story/${id}`);
  return {
    ...project,
    story,
    statusOf: async (id) => (await story(id)).coverage.status,
    workflow: (id) => get<Workflow>(`/srs-workflow/${id}`),
    async gaps(id) {
      const { items } = await get<{
        items: { gaps: { gap: string; target: { name: string | null } | null }[] }[];
      }>('/project-traceability', { view: 'gaps', storyId: id });
      return (items[0]?.gaps ?? []).map(({ gap, target }) => [gap, target?.name ?? null]);
    },
    async dispositions() {
      const { items } = await get<{ items: { storyId: string; disposition: string }[] }>(
        '/validation-transfer',
      );
      return Object.fromEntries(items.map(({ storyId, disposition }) => [storyId, disposition]));
    },
    async report(results, over = {}) {
      const answer = (await api.post('/test-runs', { results, ...over }, as)).must(201);
      return answer.json<{ id: string }>().id;
    },
    async command(over = {}) {
      const body = { key: 'unit', name: 'Unit tests', argv: ['true'], storyIds: ['US-1'], ...over };
      return (await api.post('/test-commands', body, as)).must(201).json<{ id: string }>().id;
    },
    async edit(storyId, set) {
      (await api.post('/story-edits', { storyId, set }, as)).must(201);
    },
  };
}

/** A result of our own JSON, of a test that names its story. */
export const resultOf = (
  storyId: string,
  status: 'passed' | 'failed' | 'skipped' = 'passed',
  over: object = {},
) => ({
  ...{ name: `holds [${storyId}]`, path: ['suite'], file: 'test/a.test.ts' },
  ...{ status, durationMs: 40, ...over },
});
