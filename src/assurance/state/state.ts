// All that is known of a project's stories at a moment, in memory: the effective graph with traces,
// justifications, verdicts, open issues, commands, scenarios and results.

import type { CatalogRoute } from '../../quality/routes/catalog-model.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { JustificationRow, TraceRow, ValidationRow } from '../../store/tables/assurance.ts';
import type { Coverage } from '../coverage/model.ts';
import type { StoryCommands } from '../coverage/story-commands.ts';
import type { StoredScenarios } from '../coverage/story-scenarios.ts';
import type { PastStories } from '../results/past-stories.ts';
import type { ResultIndex } from '../results/result-index.ts';
import type { TargetResults } from '../results/target-results.ts';
import type { OpenIssue } from './state-rows.ts';

export type { TargetResult } from '../results/target-results.ts';
export type { OpenIssue } from './state-rows.ts';

/** A route, and the stories that it belongs to. */
export type StoryRoute = Pick<CatalogRoute, 'method' | 'template' | 'storyIds'>;

export interface AssuranceState {
  effective: Effective;
  /** Scenarios and routes of the sources. */
  catalog: Catalog;
  /** Of the route catalog: those of the sources, and those that scenarios and commands declare. */
  routes: readonly StoryRoute[];
  /** In the order in which they were made. */
  traces: readonly TraceRow[];
  tracesOf: ReadonlyMap<string, readonly TraceRow[]>;
  justificationsOf: ReadonlyMap<string, readonly JustificationRow[]>;
  /** Every verdict on a story, the oldest first. */
  validationsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  verdictClock: number;
  issuesOf: ReadonlyMap<string, readonly OpenIssue[]>;
  commands: StoryCommands;
  /** The scenarios that are in no source. */
  scenarios: StoredScenarios;
  /** The tests that stories are linked to, and the links that tests make by themselves. */
  tests: ResultIndex;
  /** The keys of the tests that may be a scenario's runs; none while no test of stories is known. */
  runsOf(scenarioKey: string): readonly string[];
  /** By `<kind> <id>` of the target; empty while no run has been recorded. */
  results: TargetResults;
  /** What stories said for results that have not pinned them. */
  past: PastStories;
  /** Where every story stands, made when it is first asked for. */
  coverage(): Coverage;
}
