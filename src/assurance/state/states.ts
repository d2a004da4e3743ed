// The states of an instance's projects: each is as good as the content version that it was made under,
// and of its parts those are read again whose counters are others.
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Quality } from '../../quality/quality.ts';
import { isTestKey } from '../../quality/reports/test-names.ts';
import { type Effective, evictOldest } from '../../requirements/graph/effective.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import {
  type ContentVersions,
  contentVersion,
  readContentVersions,
} from '../../requirements/projects/content-versions.ts';
import type { Db } from '../../store/database.ts';
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
import { NO_RESULTS, type ResultIndex } from '../results/model.ts';
import { type KnownPast, type LaterLinks, readPast } from '../results/past-stories.ts';
import { lookUpResults } from '../results/target-results.ts';
import { withJudgedTests } from '../validation/rows.ts';
import type { AssuranceState } from './state.ts';
import { loadIssues, loadTraces, loadValidations, type Verdicts } from './state.ts';

export interface AssuranceStates {
  of(projectId: string): Promise<AssuranceState>;
  /** The stories that tests and commands verify without naming them. */
  linked(projectId: string): Promise<LinkedStories>;
}

const NO_CATALOG: Catalog = { scenarios: [], routes: [] };

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

type Parts = ReturnType<typeof openParts>;

function openParts(db: Db, projectId: string) {
  let commands: { rows: readonly TestCommandRow[]; made: StoryCommands } | undefined;
  let verdicts: Verdicts | undefined;
  let results: { made: ResultIndex; expired: number } | undefined;
  let past: KnownPast = new Map();
  return {
    links: memoizeLast((_version: number) => loadTraces(db, projectId)),
    issues: memoizeLast((_version: number, _links: number) => loadIssues(db, projectId)),
    commandRows: memoizeLast((_version: number) => commandsOf(db, projectId)),
    scenarioRows: memoizeLast((_version: number) => readScenarios(db, projectId)),
    scenarios: memoizeLast(storedScenarios),
    /** The results as they were last read. */
    known: () => results?.made,
    wanted: memoizeLast(wantedTests),
    judged: memoizeLast(withJudgedTests),
    linked: memoizeLast(linkedStories),
    /** The commands at a moment: their states hold until the first quarantine ends. */
    commands(rows: readonly TestCommandRow[], now: number): StoryCommands {
      if (commands?.rows === rows && now < commands.made.until) return commands.made;
      commands = { rows, made: storyCommands(rows, now) };
      return commands.made;
    },
    verdicts: memoizeLast(async (_version: number) => {
      verdicts = await loadValidations(db, projectId, verdicts);
      return verdicts;
    }),
    results: memoizeLast(async (_version: number, expired: number, wanted: ReadonlySet<string>) => {
      const before = results?.expired === expired ? results.made : undefined;
      const made = await loadResults(db, projectId, wanted, before);
      results = { made, expired };
      return made;
    }),
    async past(graphs: Graphs, ...more: [Effective, ResultIndex, LaterLinks]) {
      const read = await readPast({ graphs, db }, ...more, past);
      past = read.known;
      return read.past;
    },
  };
}

interface CachedState {
  version: number;
  effective: Effective;
  /** When something of it is over by itself. */
  until: number;
  state: Promise<AssuranceState>;
}

interface CachedProject {
  parts: Parts;
  nodes: number;
  last: CachedState | undefined;
}

export function openStates(context: Quality): AssuranceStates {
  const { database, graphs, effective, routeCatalogs, clock } = context;
  const { read } = database;
  const projects = new Map<string, CachedProject>();
  database.onRecovered(() => projects.clear());

  function projectOf(projectId: string, current: Effective): CachedProject {
    const nodes = current.index.graph.nodes.length;
    const known = projects.get(projectId);
    const project = known ?? { parts: openParts(read, projectId), nodes, last: undefined };
    project.nodes = nodes;
    projects.delete(projectId);
    projects.set(projectId, project);
    evictOldest(projects, (one) => one.nodes);
    return project;
  }

  /** What is there whether or not anything has run. */
  async function loadLinks(parts: Parts, current: Effective, versions: ContentVersions) {
    const [links, commandRows, scenarioRows, catalog] = await Promise.all([
      parts.links(versions.links),
      parts.commandRows(versions.commands),
      parts.scenarioRows(versions.scenarios),
      current.revision ? graphs.catalog(current.revision) : NO_CATALOG,
    ]);
    const commands = parts.commands(commandRows, clock());
    const scenarios = parts.scenarios(scenarioRows, catalog);
    const wanted = await parts.wanted(links.traces, catalog, scenarios.all);
    return { links, catalog, commands, scenarios, wanted };
  }

  async function load(
    { parts }: CachedProject,
    made: Pick<CachedState, 'until'>,
    current: Effective,
    versions: ContentVersions,
  ): Promise<AssuranceState> {
    const [{ links, catalog, commands, scenarios, wanted }, { routes }, verdicts, issuesOf] =
      await Promise.all([
        loadLinks(parts, current, versions),
        routeCatalogs.routesOf(current.projectId),
        parts.verdicts(versions.verdicts),
        parts.issues(versions.issues, versions.links),
      ]);
    made.until = commands.until;
    const { ids, ofScenario } = wanted;
    const tests = await parts.results(
      versions.results,
      versions.expired,
      parts.judged(ids, verdicts.of),
    );
    const linked = () =>
      parts.linked(links.traces, catalog, scenarios, commands, ofScenario, tests.called);
    const past = await parts.past(graphs, current, tests, { linked, named: commands.linksOf });
    let coverage: Coverage | undefined;
    const state: AssuranceState = {
      effective: current,
      catalog,
      routes,
      ...links,
      commands,
      scenarios,
      tests,
      validationsOf: verdicts.of,
      verdictClock: verdicts.clock,
      issuesOf,
      runsOf: (key) => ofScenario.get(key) ?? [],
      results: lookUpResults(tests, commands, ofScenario),
      past,
      coverage() {
        coverage ??= coverStories(state);
        return coverage;
      },
    };
    return state;
  }

  async function of(projectId: string): Promise<AssuranceState> {
    // Read first: a change that comes while the rest is read makes another version.
    const versions = await readContentVersions(read, projectId);
    const version = contentVersion(versions);
    const current = await effective.of(projectId, versions);
    const last = projects.get(projectId)?.last;
    if (last?.version === version && last.effective === current && clock() < last.until)
      return last.state;
    const project = projectOf(projectId, current);
    const until = Number.POSITIVE_INFINITY;
    const made: Omit<CachedState, 'state'> = { version, effective: current, until };
    const state = load(project, made, current, versions);
    project.last = Object.assign(made, { state });
    state.catch(() => {
      if (project.last === made) project.last = undefined;
    });
    return state;
  }

  return {
    of,
    async linked(projectId) {
      const versions = await readContentVersions(read, projectId);
      const current = await effective.of(projectId, versions);
      const { parts } = projectOf(projectId, current);
      const { links, catalog, commands, scenarios, wanted } = await loadLinks(
        parts,
        current,
        versions,
      );
      const { ids, ofScenario } = wanted;
      const hasNames = [...ids].some((id) => !isTestKey(id));
      const { called } = hasNames ? (parts.known() ?? (await of(projectId)).tests) : NO_RESULTS;
      return parts.linked(links.traces, catalog, scenarios, commands, ofScenario, called);
    },
  };
}
