// The states of an instance's projects, each kept until a part of it changes: that part is read
// again, and of the results only what is new.
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Quality } from '../../quality/quality.ts';
import { QUALITY_PARTS } from '../../quality/quality-changes.ts';
import { type Effective, evictOldest } from '../../requirements/graph/effective.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Coverage } from '../coverage/model.ts';
import { type StoryCommands, storyCommands } from '../coverage/story-commands.ts';
import { readScenarios, storedScenarios } from '../coverage/story-scenarios.ts';
import { createSuccessiveCoverage } from '../coverage/successive-coverage.ts';
import { type CalledTests, NONE_CALLED, namesAmong } from '../results/called-tests.ts';
import { type LinkedStories, linkedStories } from '../results/linked-stories.ts';
import { loadResults } from '../results/load-results.ts';
import { wantedTests } from '../results/named-tests.ts';
import { type KnownPast, readPast } from '../results/past-stories.ts';
import type { ResultIndex } from '../results/result-index.ts';
import { lookUpResults } from '../results/target-results.ts';
import { withJudgedTests } from '../validation/rows.ts';
import { keepLast } from './keep-last.ts';
import type { AssuranceState } from './state.ts';
import { loadIssues, loadTraces, loadValidations, type Verdicts } from './state-rows.ts';

export interface AssuranceStates {
  of(projectId: string): Promise<AssuranceState>;
  /** The stories that tests and commands verify without naming them. */
  linked(projectId: string): Promise<LinkedStories>;
  /** To be called after the commit of a change. */
  changed(projectId: string, part: 'traces' | 'validations'): void;
}

const PARTS = ['issues', ...QUALITY_PARTS] as const;
/** Parts of which others count the changes. */
type CountedPart = (typeof PARTS)[number];
type StatePart = CountedPart | 'traces' | 'validations';

/** What is made for one state, and is as good for the next where it was made of the same. */
function createMemory() {
  return {
    commands: undefined as { rows: readonly TestCommandRow[]; made: StoryCommands } | undefined,
    scenarios: keepLast(storedScenarios),
    wanted: keepLast(wantedTests),
    named: keepLast(withJudgedTests),
    linked: keepLast(linkedStories),
    coverage: createSuccessiveCoverage(),
    results: undefined as ResultIndex | undefined,
    past: new Map() as KnownPast,
    verdicts: undefined as Verdicts | undefined,
  };
}

interface Held {
  effective: Effective;
  parts: Map<StatePart, Promise<unknown>>;
  /** The counts of changes up to which its parts are known. */
  counts: Record<CountedPart, number>;
  /** When something of it is over by itself. */
  until: number;
  memory: ReturnType<typeof createMemory>;
  value: Promise<AssuranceState> | undefined;
}

const NO_CATALOG: Catalog = { scenarios: [], routes: [] };
const NO_RUNS: ReadonlyMap<string, readonly string[]> = new Map();

/** The commands at a moment; their states hold until the first quarantine ends. */
function commandsAt(
  memory: ReturnType<typeof createMemory>,
  rows: readonly TestCommandRow[],
  now: number,
): StoryCommands {
  const known = memory.commands;
  if (known?.rows === rows && now < known.made.until) return known.made;
  const made = storyCommands(rows, now);
  memory.commands = { rows, made };
  return made;
}

/** What is read along the traces: another set of them leads to other rows. */
const READ_BY_TRACES: ReadonlySet<StatePart> = new Set(['results', 'issues']);

/** Opens the states of an instance's projects. */
export function openStates(context: Quality): AssuranceStates {
  const { database, graphs, effective, storyIssues, qualityChanges, routeCatalogs, clock } =
    context;
  const { read } = database;
  const kept = new Map<string, Held>();
  database.onRecovered(() => kept.clear());

  function countsOf(projectId: string): Held['counts'] {
    return {
      issues: storyIssues.count(projectId),
      commands: qualityChanges.count(projectId, 'commands'),
      scenarios: qualityChanges.count(projectId, 'scenarios'),
      results: qualityChanges.count(projectId, 'results'),
    };
  }

  function part<T>(held: Held, name: StatePart, load: () => Promise<T>): Promise<T> {
    const known = held.parts.get(name) as Promise<T> | undefined;
    if (known) return known;
    const value = load();
    held.parts.set(name, value);
    value.catch(() => {
      if (held.parts.get(name) === value) held.parts.delete(name);
    });
    return value;
  }

  /** What is there whether or not anything has run. */
  async function loadLinks(held: Held, projectId: string) {
    const { effective: current, memory } = held;
    const [links, commandRows, scenarioRows, catalog] = await Promise.all([
      part(held, 'traces', () => loadTraces(read, projectId)),
      part(held, 'commands', () => commandsOf(read, projectId)),
      part(held, 'scenarios', () => readScenarios(read, projectId)),
      current.revision ? graphs.catalog(current.revision) : NO_CATALOG,
    ]);
    const commands = commandsAt(memory, commandRows, clock());
    held.until = commands.until;
    const scenarios = memory.scenarios(scenarioRows, catalog);
    const wanted = () => memory.wanted(links.traces, catalog, scenarios.all);
    return { links, catalog, commands, scenarios, wanted };
  }

  async function load(held: Held, projectId: string): Promise<AssuranceState> {
    const { effective: current, memory } = held;
    const [{ links, catalog, commands, scenarios, wanted }, { routes }, verdicts, named] =
      await Promise.all([
        loadLinks(held, projectId),
        routeCatalogs.routesOf(projectId),
        part(held, 'validations', () => loadValidations(read, projectId, memory.verdicts)),
        part(held, 'issues', () => loadIssues(read, projectId)),
      ]);
    memory.verdicts = verdicts;
    const tests = await part(held, 'results', () =>
      loadResults(read, projectId, memory.results, async () =>
        memory.named((await wanted()).ids, verdicts.of),
      ),
    );
    memory.results = tests;
    memory.coverage.follow(tests);
    const ofScenario = tests.tests.size > 0 ? (await wanted()).ofScenario : NO_RUNS;
    const linked = () =>
      memory.linked(links.traces, catalog, scenarios, commands, ofScenario, tests.called);
    const { past, known } = await readPast(
      { graphs, db: read },
      current,
      tests,
      { linked, named: commands.linksOf },
      memory.past,
    );
    memory.past = known;
    let coverage: Coverage | undefined;
    const state: AssuranceState = {
      ...{ effective: current, catalog, routes, ...links, commands, scenarios, tests },
      ...{ validationsOf: verdicts.of, verdictClock: verdicts.clock, issuesOf: named },
      runsOf: (key) => ofScenario.get(key) ?? [],
      results: lookUpResults(tests, commands, ofScenario),
      past,
      coverage() {
        coverage ??= memory.coverage.cover(state, linked);
        return coverage;
      },
    };
    return state;
  }

  function outdated(projectId: string, held: Held | undefined): CountedPart[] {
    const counts = countsOf(projectId);
    return PARTS.filter((name) => held?.counts[name] !== counts[name]);
  }

  /** What is kept of a project, without the parts that others have changed since. */
  async function heldOf(projectId: string): Promise<Held> {
    const current = await effective.of(projectId);
    const counts = countsOf(projectId);
    const known = kept.get(projectId);
    const stale = outdated(projectId, known);
    if (known?.effective === current && stale.length === 0 && clock() < known.until) return known;
    const parts = new Map(known?.parts);
    // Which tests are looked for follows from the other parts: asked anew, it reads little.
    for (const name of [...stale, 'results'] as const) parts.delete(name);
    const memory = known?.memory ?? createMemory();
    const until = Number.POSITIVE_INFINITY;
    const held: Held = { effective: current, parts, counts, until, memory, value: undefined };
    kept.delete(projectId);
    kept.set(projectId, held);
    evictOldest(kept, ({ effective: { index } }) => index.graph.nodes.length);
    return held;
  }

  async function stateOf(projectId: string): Promise<AssuranceState> {
    const held = await heldOf(projectId);
    if (held.value) return held.value;
    const value = load(held, projectId);
    held.value = value;
    value.catch(() => {
      if (held.value === value) held.value = undefined;
    });
    return value;
  }

  /** The tests that links mean by names, as they were when results were last read. */
  async function calledIn({ memory }: Held, projectId: string): Promise<CalledTests> {
    return (memory.results ?? (await stateOf(projectId)).tests).called;
  }

  return {
    of: stateOf,
    async linked(projectId) {
      const held = await heldOf(projectId);
      const { links, catalog, commands, scenarios, wanted } = await loadLinks(held, projectId);
      const { ids, ofScenario } = await wanted();
      const called = namesAmong(ids).size === 0 ? NONE_CALLED : await calledIn(held, projectId);
      return held.memory.linked(links.traces, catalog, scenarios, commands, ofScenario, called);
    },
    changed(projectId, name) {
      const held = kept.get(projectId);
      if (!held) return;
      // What is being read now may have begun before the change.
      const left = [...held.parts].filter(
        ([known]) => known !== name && (name !== 'traces' || !READ_BY_TRACES.has(known)),
      );
      kept.set(projectId, { ...held, parts: new Map(left), value: undefined });
    },
  };
}
