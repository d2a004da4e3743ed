// Routes of one story and of its workflow.
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { type Call, endpoint, param } from '../../http/api/endpoint.ts';
import { ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { movesOf, moveView } from '../../requirements/overlay/changes.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import { readRunningCommands } from '../results/running-commands.ts';
import type { AssuranceState } from '../state/state.ts';
import { issueVersion } from '../state/state-rows.ts';
import { mayBeRenamed } from '../validation/gone.ts';
import { storyOf } from '../validation/renames.ts';
import { verdictsToCarry } from '../validation/transfer.ts';
import { blockerOf, nextActions } from './actions.ts';
import { stageFacts } from './facts.ts';
import { nextStory } from './next-story.ts';
import { stagesOf } from './stages.ts';
import { storyView } from './story.ts';

export function readStory(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).STORY_DOCS.story,
    handler: (call) =>
      withStory(assurance, call, (state, node) => tagged(state, storyView(state, node))),
  });
}

export function readWorkflow(assurance: Assurance) {
  const { database, graphs } = assurance;
  return endpoint({
    docs: async () => (await import('./docs.ts')).STORY_DOCS.workflow,
    handler: (call) =>
      withStory(assurance, call, async (state, node) => {
        const { revision, projectId } = state.effective;
        const findings = revision ? await graphs.findings(revision) : [];
        const toCarry = mayBeRenamed(state, node.id)
          ? (await verdictsToCarry(assurance, state)).get(node.id)
          : undefined;
        const facts = stageFacts(state, node, findings, toCarry);
        const { stage, stages } = stagesOf(facts);
        const moves = await movesOf(database.read, projectId, node.id);
        const isScenario = await scenarioKeys(assurance, state);
        const blocker = blockerOf(stages);
        const blockerVersion =
          blocker === undefined ? undefined : await issueVersion(database.read, blocker);
        const next = nextStory(state, node, isScenario);
        const running =
          next.runners.length > 0 ? await readRunningCommands(database.read, projectId) : undefined;
        const story = { ...next, blockerVersion, toCarry, running };
        const verdicts = state.validationsOf.get(node.id) ?? [];
        const history = [...moves.map(moveView), ...verdicts.map(verdictEvent)];
        return tagged(state, {
          ...{ storyId: node.id, stage, stages },
          next: nextActions(story, stages, facts),
          history: history.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
        });
      }),
  });
}

/** Whether a scenario has a key; read only where stories need scenarios. */
async function scenarioKeys(
  { scenarios }: Assurance,
  { effective: { projectId, settings } }: AssuranceState,
): Promise<(key: string) => boolean> {
  if (!settings.needs.includes('scenario')) return () => false;
  const { byKey } = await scenarios.of(projectId);
  return (key) => byKey.has(key);
}

async function withStory(
  { states }: Assurance,
  call: Call<unknown, unknown>,
  answer: (state: AssuranceState, node: GraphNode) => Reply | Promise<Reply>,
): Promise<Reply> {
  const state = await states.of(call.caller.projectId);
  const node = storyOf(state.effective, param(call, 'id'));
  if (!node) throw notFound('story');
  return answer(state, node);
}

function tagged({ effective }: AssuranceState, view: object): Reply {
  const text = JSON.stringify(view);
  return ok(undefined, { text, etag: etagOf(effective.revision?.number ?? 0, text) });
}

function verdictEvent({ at, id, verdict, byToken, byLabel, note }: ValidationRow) {
  return {
    at: timestamp(at),
    event: `judged_${verdict}`,
    actor: byToken === null ? null : { tokenId: byToken, label: byLabel },
    detail: [id, note].filter(Boolean).join(': '),
  };
}
