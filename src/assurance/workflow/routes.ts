// Routes of one story and of its workflow.

import type { Static } from '@sinclair/typebox';
import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { movesOf, moveView } from '../../requirements/overlay/changes.ts';
import type { Db } from '../../store/database.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { issues } from '../../store/tables/evidence.ts';
import type { Assurance } from '../assurance.ts';
import { readRunningCommands } from '../results/run-facts.ts';
import type { AssuranceState } from '../state/state.ts';
import { storyOf } from '../validation/current.ts';
import { verdictsToCarry } from '../validation/transfer.ts';
import { nextActions, runnersOf } from './actions.ts';
import { STORY_DOCS } from './docs.ts';
import { stageFacts } from './facts.ts';
import { Story, Workflow } from './schemas.ts';
import { type Stage, stagesOf } from './stages.ts';
import { storyView } from './story.ts';

export const storyRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'stories' })
    .use(api(assurance))
    .get(
      '/srs-story/:id',
      async ({ caller, params }) => {
        const state = await assurance.states.of(caller.projectId);
        const node = requireStory(state, params.id);
        return tagged<Static<typeof Story>>(state, storyView(state, node));
      },
      {
        operation: { id: 'getStory', docs: STORY_DOCS.story },
        query: noQuery,
        response: answers({ 200: Story }),
      },
    )
    .get(
      '/srs-workflow/:id',
      async ({ caller, params }) => {
        const state = await assurance.states.of(caller.projectId);
        const node = requireStory(state, params.id);
        return tagged<Static<typeof Workflow>>(state, await workflowOf(assurance, state, node));
      },
      {
        operation: { id: 'getWorkflow', docs: STORY_DOCS.workflow },
        query: noQuery,
        response: answers({ 200: Workflow }),
      },
    );

function requireStory({ effective }: AssuranceState, id: string): GraphNode {
  const node = storyOf(effective, id);
  if (!node) throw notFound('story');
  return node;
}

function tagged<T>({ effective }: AssuranceState, view: T) {
  const text = JSON.stringify(view);
  return made<T>({ text, etag: etagOf(effective.revision?.number ?? 0, text) });
}

async function workflowOf(
  assurance: Assurance,
  state: AssuranceState,
  node: GraphNode,
): Promise<Static<typeof Workflow>> {
  const { graphs, scenarios, database } = assurance;
  const { read } = database;
  const { revision, projectId, settings } = state.effective;
  const findings = revision ? await graphs.findings(revision) : [];
  const toCarry = (await verdictsToCarry(assurance, state)).get(node.id);
  const { stage, stages } = stagesOf(stageFacts(state, node, findings, toCarry));
  // Read only where stories need scenarios, or have commands.
  const stored = settings.needs.includes('scenario') ? await scenarios.of(projectId) : undefined;
  const isRun = runnersOf(state, node).runners.length > 0;
  const story = {
    state,
    node,
    isScenario: (key: string) => stored?.byKey.has(key) ?? false,
    blockerVersion: await versionOfBlocker(read, stages),
    toCarry,
    running: isRun ? await readRunningCommands(read, projectId) : undefined,
  };
  const moves = await movesOf(read, projectId, node.id);
  const verdicts = state.validationsOf.get(node.id) ?? [];
  const history = [...moves.map(moveView), ...verdicts.map(verdictEvent)];
  return {
    storyId: node.id,
    stage,
    stages,
    next: nextActions(story, stages),
    history: history.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
  };
}

/** The version that the issue has now which blocks a story: it is in no state. */
async function versionOfBlocker(db: Db, stages: readonly Stage[]): Promise<number | undefined> {
  const open = stages.find(({ state }) => state !== 'done');
  if (open?.name !== 'validated' || open.state !== 'blocked') return undefined;
  const [row] = await db
    .select({ version: issues.version })
    .from(issues)
    .where(eq(issues.id, open.evidence[0] ?? ''));
  return row?.version;
}

function verdictEvent({ at, id, verdict, byToken, byLabel, note }: ValidationRow) {
  return {
    at: timestamp(at),
    event: `judged_${verdict}`,
    actor: byToken === null ? null : { tokenId: byToken, label: byLabel },
    detail: [id, note].filter(Boolean).join(': '),
  };
}
