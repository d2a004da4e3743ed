// Routes of one story and of its workflow.

import type { Static } from '@sinclair/typebox';
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
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import { readRunningCommands } from '../results/running-commands.ts';
import type { AssuranceState } from '../state/state.ts';
import { issueVersion } from '../state/state.ts';
import { mayBeRenamed } from '../validation/gone.ts';
import { storyOf } from '../validation/renames.ts';
import { verdictsToCarry } from '../validation/transfer.ts';
import { blockerOf, nextActions } from './actions.ts';
import { STORY_DOCS } from './docs.ts';
import { stageFacts } from './facts.ts';
import { nextStory } from './next-story.ts';
import { Story, Workflow } from './schemas.ts';
import { stagesOf } from './stages.ts';
import { storyView } from './story.ts';

export const storyRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'stories' })
    .use(api(assurance))
    .get(
      '/srs-story/:id',
      async ({ caller, params }) => {
        const state = await assurance.states.of(caller.projectId);
        return tagged<Static<typeof Story>>(
          state,
          storyView(state, requireStory(state, params.id)),
        );
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
  const { database, graphs } = assurance;
  const { revision, projectId, settings } = state.effective;
  const findings = revision ? await graphs.findings(revision) : [];
  const waiting = mayBeRenamed(state, node.id)
    ? await verdictsToCarry(assurance, state)
    : undefined;
  const toCarry = waiting?.get(node.id);
  const facts = stageFacts(state, node, findings, toCarry);
  const { stage, stages } = stagesOf(facts);
  // Read only where stories need scenarios.
  const stored = settings.needs.includes('scenario')
    ? await assurance.scenarios.of(projectId)
    : undefined;
  const next = nextStory(state, node, (key) => stored?.byKey.has(key) ?? false);
  const blocker = blockerOf(stages);
  const blockerVersion =
    blocker === undefined ? undefined : await issueVersion(database.read, blocker);
  const running =
    next.runners.length > 0 ? await readRunningCommands(database.read, projectId) : undefined;
  const moves = await movesOf(database.read, projectId, node.id);
  const verdicts = state.validationsOf.get(node.id) ?? [];
  const history = [...moves.map(moveView), ...verdicts.map(verdictEvent)];
  return {
    storyId: node.id,
    stage,
    stages,
    next: nextActions({ ...next, blockerVersion, toCarry, running }, stages, facts),
    history: history.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
  };
}

function verdictEvent({ at, id, verdict, byToken, byLabel, note }: ValidationRow) {
  return {
    at: timestamp(at),
    event: `judged_${verdict}`,
    actor: byToken === null ? null : { tokenId: byToken, label: byLabel },
    detail: [id, note].filter(Boolean).join(': '),
  };
}
