// The states of an instance's projects: each is as good as the content version that it was made under,
// and of its parts those are read again whose counters are others.
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Quality } from '../../quality/quality.ts';
import { type Effective, effectiveAt, evictOldest } from '../../requirements/graph/effective.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import {
  type ContentVersions,
  contentVersion,
  readContentVersions,
} from '../../requirements/projects/projects.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { coverStories } from '../coverage/coverage.ts';
import {
  readScenarios,
  type StoryCommands,
  storedScenarios,
  storyCommands,
} from '../coverage/declared.ts';
import type { Coverage } from '../coverage/model.ts';
import { type LinkedStories, linkedStories, wantedTests } from '../results/linked-stories.ts';
import { loadResults } from '../results/load-results.ts';
import type { ResultIndex } from '../results/model.ts';
import { lookUpResults } from '../results/target-results.ts';
import {
  type AssuranceState,
  loadIssues,
  loadTraces,
  loadValidations,
  type Verdicts,
} from './state.ts';

export type AssuranceStates = ReturnType<typeof openStates>;

const NO_CATALOG: Catalog = { scenarios: [], routes: [] };

interface CachedProject {
  parts: Parts;
  nodes: number;
  /** Of a revision: as today's settings read it. */
  past?: { today: Effective; effective: Effective };
  last?: {
    version: number;
    today: Effective;
    /** When something of it is over by itself. */
    until: number;
    state: Promise<AssuranceState>;
  };
}

const keyOf = (projectId: string, revision = 0) => `${projectId} ${revision}`;

export function openStates(context: Quality) {
  const { database, effective, graphs, clock } = context;
  const projects = new Map<string, CachedProject>();
  database.onRecovered(() => projects.clear());

  function projectOf(
    { projectId, index }: Effective,
    revision?: number,
    past?: CachedProject['past'],
  ): CachedProject {
    const key = keyOf(projectId, revision);
    const project = projects.get(key) ?? { parts: openParts(context, projectId), nodes: 0 };
    project.nodes = index.graph.nodes.length;
    if (past) project.past = past;
    projects.delete(key);
    projects.set(key, project);
    evictOldest(projects, (one) => one.nodes);
    return project;
  }

  /** @param revision - with nothing laid on it; the latest with its overlays unless given */
  async function of(projectId: string, revision?: number): Promise<AssuranceState> {
    // Read first: a change that comes while the rest is read makes another version.
    const versions = await readContentVersions(database, projectId);
    const version = contentVersion(versions);
    const today = await effective.of(projectId, versions);
    const { last, past } = projects.get(keyOf(projectId, revision)) ?? {};
    if (last?.version === version && last.today === today && clock() < last.until)
      return last.state;
    let current = today;
    if (revision !== undefined)
      current = past?.today === today ? past.effective : await effectiveAt(graphs, today, revision);
    const project = projectOf(current, revision, { today, effective: current });
    const state = project.parts.load(current, versions);
    const made = { version, today, until: Number.POSITIVE_INFINITY, state };
    project.last = made;
    state.then(
      ({ commands }) => {
        made.until = commands.until;
      },
      () => {
        if (project.last === made) delete project.last;
      },
    );
    return state;
  }

  return {
    of,
    /** The stories that tests and commands verify without naming them. */
    async linked(projectId: string): Promise<LinkedStories> {
      const versions = await readContentVersions(database, projectId);
      const current = await effective.of(projectId, versions);
      return projectOf(current).parts.linked(current, versions);
    },
  };
}

type Parts = ReturnType<typeof openParts>;

function openParts({ database, graphs, routeCatalogs, clock }: Quality, projectId: string) {
  const { read: db } = database;
  let commands: { rows: readonly TestCommandRow[]; made: StoryCommands } | undefined;
  let knownVerdicts: Verdicts | undefined;
  let results: { made: ResultIndex; expired: number } | undefined;

  const traces = memoizeLast((_version: number) => loadTraces(db, projectId));
  const issues = memoizeLast((_version: number, _links: number) => loadIssues(db, projectId));
  const commandRows = memoizeLast((_version: number) => commandsOf(db, projectId));
  const scenarioRows = memoizeLast((_version: number) => readScenarios(db, projectId));
  const scenariosOf = memoizeLast(storedScenarios);
  const wantedBy = memoizeLast(wantedTests);
  const linkedBy = memoizeLast(linkedStories);
  const verdicts = memoizeLast(async (_version: number) => {
    knownVerdicts = await loadValidations(db, projectId, knownVerdicts);
    return knownVerdicts;
  });
  const latest = memoizeLast(
    async (_version: number, expired: number, wanted: ReadonlySet<string>) => {
      const before = results?.expired === expired ? results.made : undefined;
      results = { made: await loadResults(db, projectId, wanted, before), expired };
      return results.made;
    },
  );

  /** The commands at a moment: their states hold until the first quarantine ends. */
  function commandsAt(rows: readonly TestCommandRow[], now: number): StoryCommands {
    if (commands?.rows !== rows || now >= commands.made.until)
      commands = { rows, made: storyCommands(rows, now) };
    return commands.made;
  }

  /** What is there whether or not anything has run. */
  async function links({ revision }: Effective, versions: ContentVersions) {
    const [linked, ofCommands, ofScenarios, catalog] = await Promise.all([
      traces(versions.links),
      commandRows(versions.commands),
      scenarioRows(versions.scenarios),
      revision ? graphs.catalog(revision) : NO_CATALOG,
    ]);
    const scenarios = scenariosOf(ofScenarios, catalog);
    const wanted = await wantedBy(linked.traces, catalog, scenarios.all);
    return { ...linked, catalog, commands: commandsAt(ofCommands, clock()), scenarios, wanted };
  }

  async function linked(effective: Effective, versions: ContentVersions): Promise<LinkedStories> {
    const { traces, scenarios, commands, wanted } = await links(effective, versions);
    return linkedBy(traces, scenarios, commands, wanted.ofScenario);
  }

  async function load(effective: Effective, versions: ContentVersions): Promise<AssuranceState> {
    const [{ wanted, ...given }, { routes }, verdictsOfStories, issuesOf] = await Promise.all([
      links(effective, versions),
      routeCatalogs.routesOf(projectId),
      verdicts(versions.verdicts),
      issues(versions.issues, versions.links),
    ]);
    const tests = await latest(versions.results, versions.expired, wanted.ids);
    let coverage: Coverage | undefined;
    const state: AssuranceState = {
      effective,
      routes,
      ...given,
      tests,
      ...verdictsOfStories,
      issuesOf,
      runsOf: (key) => wanted.ofScenario.get(key) ?? [],
      results: lookUpResults(tests, given.commands, wanted.ofScenario),
      coverage() {
        coverage ??= coverStories(state);
        return coverage;
      },
    };
    return state;
  }

  return { load, linked };
}

function memoizeLast<A extends readonly unknown[], T>(
  make: (...given: A) => T,
): (...given: A) => T {
  let last: { given: A; made: T } | undefined;
  return (...given) => {
    const known = last;
    if (known?.given.every((one, at) => one === given[at])) return known.made;
    const entry = { given, made: make(...given) };
    last = entry;
    if (entry.made instanceof Promise)
      entry.made.catch(() => {
        if (last === entry) last = undefined;
      });
    return entry.made;
  };
}
