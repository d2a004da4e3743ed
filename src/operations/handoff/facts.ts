// Everything that a handoff says of the project, gathered from all rooms.
import type { Agents } from '../../agents/agents.ts';
import { listGaps } from '../../assurance/gaps.ts';
import { getProject } from '../../requirements/projects.ts';
import { sourcesOf } from '../../requirements/revisions.ts';
import { readSettings } from '../../requirements/settings.ts';
import { type Excerpt, type Handoff, type HandoffScenario, SHOWN } from './model.ts';
import { countIssues, readBlockers, readCommands, readPlans, readRuns } from './rows.ts';
import { storiesInNeed } from './stories.ts';

/** What next actions are made of beside what the handoff shows. */
export interface Waiting {
  /** An edit that waits for a decision, and one in conflict with the sources. */
  proposedEdit: string | null;
  conflictedEdit: { id: string; storyId: string; fingerprint: string | null } | null;
  /** Links that were made for an earlier text of their story. */
  suspectTraces: string[];
  /** A story that passes and that nobody has judged as it is. */
  unjudged: string | null;
}

export interface Facts
  extends Pick<
    Handoff,
    'project' | 'counts' | 'stories' | 'commands' | 'scenarios' | 'plans' | 'runs' | 'blockers'
  > {
  waiting: Waiting;
}

const TRACES_AT_ONCE = 100;

/** Gathers the facts of a project. */
export async function gatherFacts(agents: Agents, projectId: string, now: number): Promise<Facts> {
  const db = agents.database.read;
  const state = await agents.states.of(projectId);
  const { effective } = state;
  const { revision, edits, additions } = effective;
  const project = await getProject(db, projectId);
  const sources = revision ? await sourcesOf(db, revision) : [];
  const commands = await readCommands(db, projectId, now);
  const runs = await readRuns(db, projectId);
  const scenarios = await readScenarios(agents, projectId);
  const routes = await agents.routeCatalogs.of(projectId);
  const { summary, stories } = state.coverage();
  const standings = { covered: 0, failing: 0, untested: 0 };
  for (const { status } of routes.standings) standings[status] += 1;
  const statuses = Object.entries(summary.statuses).map(([status, own]) => [
    status,
    own.count + summary.inherited[status as keyof typeof summary.inherited].count,
  ]);
  const conflicted = edits.find((edit) => edit.state === 'conflicted');
  return {
    project: {
      ...{ id: project.id, slug: project.slug, name: project.name },
      description: project.description,
      settings: { ...readSettings(project.settings) },
      revision: project.revision,
      sources: {
        total: sources.length,
        failed: sources.filter(({ status }) => status === 'failed').map(({ path }) => path),
      },
      audit: { errors: revision?.errors ?? 0, warnings: revision?.warnings ?? 0 },
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
      commands: commands.total,
      scenarios: scenarios.total,
      routes: { total: routes.standings.length, ...standings },
      runs: runs.total,
    },
    stories: storiesInNeed(state),
    commands,
    scenarios,
    plans: await readPlans(db, projectId),
    runs: runs.items,
    blockers: await readBlockers(db, projectId),
    waiting: {
      proposedEdit: edits.find((edit) => edit.state === 'proposed')?.id ?? null,
      conflictedEdit: conflicted
        ? {
            id: conflicted.id,
            storyId: conflicted.storyId,
            fingerprint: effective.node(conflicted.storyId)?.fingerprint ?? null,
          }
        : null,
      suspectTraces: stories
        .flatMap(({ traces }) => traces.flatMap((one) => (one.state === 'suspect' && one.id) || []))
        .slice(0, TRACES_AT_ONCE),
      unjudged:
        stories.find(({ status, inherited }) => status === 'passing' && !inherited)?.storyId ??
        null,
    },
  };
}

async function readScenarios(
  { scenarios }: Agents,
  projectId: string,
): Promise<Excerpt<HandoffScenario>> {
  const { inEffect } = await scenarios.of(projectId);
  const active = inEffect.filter(({ state }) => state !== 'archived');
  const items = active
    .slice(0, SHOWN.scenarios)
    .map(({ id, key, feature, title, storyIds, state }) => ({
      ...{ id, key, feature, title, storyIds: [...storyIds], state },
    }));
  return { total: active.length, items };
}
