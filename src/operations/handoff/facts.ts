// Everything that a handoff says of the project, gathered from all areas.
import type { Agents } from '../../agents/agents.ts';
import { listGaps } from '../../assurance/coverage/gaps.ts';
import { countAudit } from '../../assurance/overlay/findings.ts';
import { verdictsToCarry } from '../../assurance/validation/transfer.ts';
import type { ProjectScenarios } from '../../quality/scenarios/scenarios.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { sourcesOf } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { candidatesOf, type Facts, uncoveredStory } from './candidates.ts';
import { availableCommands, countFailedCommands, readCommands, showCommands } from './commands.ts';
import { type Excerpt, type HandoffScenario, SHOWN } from './model.ts';
import { countIssues, readBlockers, readPlans, readReported, readRuns } from './records.ts';
import { showStories, storiesInNeed } from './stories.ts';

export async function gatherFacts(agents: Agents, projectId: string, now: number): Promise<Facts> {
  const db = agents.database.read;
  const state = await agents.states.of(projectId);
  const { effective } = state;
  const { revision, edits, additions } = effective;
  const project = await getProject(db, projectId);
  const sources = revision ? await sourcesOf(db, revision) : [];
  const commands = await readCommands(db, projectId, now);
  const runs = await readRuns(db, projectId);
  const plans = await readPlans(db, projectId);
  const { blockers, untriaged } = await readBlockers(db, projectId);
  const stored = await agents.scenarios.of(projectId);
  const scenarios = showScenarios(stored);
  const inNeed = storiesInNeed(state);
  const routes = await agents.routeCatalogs.of(projectId);
  const { summary } = state.coverage();
  const isScenario = (key: string) => stored.byKey.has(key);
  const uncovered = uncoveredStory(state, inNeed, isScenario);
  const standings = { covered: 0, failing: 0, untested: 0 };
  for (const { status } of routes.standings) standings[status] += 1;
  const statuses = Object.entries(summary.statuses).map(([status, own]) => [
    status,
    own.count + summary.inherited[status as keyof typeof summary.inherited].count,
  ]);
  const facts = {
    project: {
      id: project.id,
      slug: project.slug,
      name: project.name,
      description: project.description,
      settings: { ...readSettings(project.settings) },
      revision: project.revision,
      sources: {
        total: sources.length,
        failed: sources.filter(({ status }) => status === 'failed').map(({ path }) => path),
      },
      audit: await countAudit(db, state),
    },
    counts: {
      stories: { ...summary.stories },
      statuses: Object.fromEntries(statuses),
      gaps: { ...listGaps(state).counts },
      issues: await countIssues(db, projectId),
      overlays: {
        proposed: [...edits, ...additions].filter((one) => one.state === 'proposed').length,
        conflicted: edits.filter((edit) => edit.state === 'conflicted').length,
      },
      commands: commands.length,
      scenarios: scenarios.total,
      routes: { total: routes.standings.length, ...standings },
      runs: runs.total,
    },
    stories: showStories(state, inNeed),
    commands: showCommands(commands),
    scenarios,
    plans,
    runs: runs.items,
    blockers,
    reported: await readReported(db, projectId),
  };
  const planIds = plans.map(({ id }) => id);
  const candidates = candidatesOf({
    state,
    facts,
    uncovered,
    toCarry: await verdictsToCarry(agents, state),
    untriaged,
    failedCommands: await countFailedCommands(db, state, commands, planIds),
    commands: await availableCommands(db, projectId, commands, uncovered),
  });
  return { ...facts, candidates: [...candidates] };
}

function showScenarios({ inEffect }: ProjectScenarios): Excerpt<HandoffScenario> {
  const active = inEffect.filter(({ state }) => state !== 'archived');
  const items = active
    .slice(0, SHOWN.scenarios)
    .map(({ id, key, feature, title, storyIds, state }) => {
      return { id, key, feature, title, storyIds: [...storyIds], state };
    });
  return { total: active.length, items };
}
