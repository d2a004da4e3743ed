// States of the assurance made of a few words, for tests of its rules.
import { coverStories } from '../../src/assurance/coverage/coverage.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { buildGraph } from '../../src/requirements/graph/build.ts';
import { effectiveOf } from '../../src/requirements/graph/effective.ts';
import { indexGraph } from '../../src/requirements/graph/graph-index.ts';
import { DEFAULT_SETTINGS } from '../../src/requirements/projects/settings.ts';
import type {
  SourceItem,
  SourceLink,
  SourceScenario,
} from '../../src/requirements/sources/model.ts';
import type { TraceRow, ValidationRow } from '../../src/store/tables/assurance.ts';
import { type MadeParts, makeParts } from './made-results.ts';

export interface MadeState extends MadeParts {
  stories: readonly string[];
  /** Pairs of which the first depends on the second. */
  links?: readonly [string, string][];
  traces?: readonly {
    id: string;
    storyId: string;
    kind: string;
    targetId: string;
    type?: string;
    /** Made for an earlier text. */
    stale?: boolean;
  }[];
  verdicts?: readonly { storyId: string; verdict?: string; stale?: boolean }[];
  scenarios?: readonly { key: string; storyIds: string[] }[];
  /** Milliseconds by `<kind> <id>`: passed results. */
  durations?: Record<string, number>;
}

/** Makes one; stories are named by their ids. */
export function makeState(made: MadeState): AssuranceState {
  const items = made.stories.map(
    (id, at): SourceItem => ({
      ...{ id, kind: 'story', title: id, statement: `It does ${id}.`, acceptance: ['It does.'] },
      ...{ rationale: null, status: null, priority: null, tags: [], attributes: {} },
      ...{ path: 'a.md', line: at + 1, parentId: null, active: true },
    }),
  );
  const links = (made.links ?? []).map(
    ([from, to]): SourceLink => ({ from, to, type: 'depends', path: 'a.md', line: 1 }),
  );
  const effective = effectiveOf({
    ...{ projectId: 'prj_1', revision: undefined, settings: DEFAULT_SETTINGS, overlayClock: 0 },
    canonical: indexGraph(buildGraph({ items, links }, DEFAULT_SETTINGS.normative)),
    ...{ edits: [], additions: [] },
  });
  const printOf = (id: string, stale?: boolean) =>
    stale ? 'f1.ktsal:of-then' : (effective.node(id)?.fingerprint ?? '');
  const traces = (made.traces ?? []).map(
    ({ id, storyId, kind, targetId, type, stale }, at) =>
      ({
        ...{ seq: at + 1, id, projectId: 'prj_1', storyId, type: type ?? 'verifies' },
        ...{ targetKind: kind, targetId, origin: 'declared', note: null, version: 1 },
        ...{ fingerprint: printOf(storyId, stale), authorToken: null, authorLabel: null },
        ...{ reviewedAt: null, reviewedToken: null, reviewedLabel: null, createdAt: at },
      }) as TraceRow,
  );
  const verdicts = (made.verdicts ?? []).map(
    ({ storyId, verdict, stale }, at) =>
      ({
        ...{ seq: at + 1, id: `val_${at}`, projectId: 'prj_1', storyId },
        ...{ verdict: verdict ?? 'passed', method: 'inspection', evidence: null, tests: [] },
        ...{ byKind: 'person', byToken: null, byLabel: null, at, revision: 1 },
        fingerprint: printOf(storyId, stale),
        deepFingerprint: effective.node(storyId)?.deepFingerprint ?? '',
        ...{ transferredFrom: null, note: null, createdAt: at, resultsUpTo: null },
      }) satisfies ValidationRow,
  );
  const durations = Object.entries(made.durations ?? {}).map(
    ([key, durationMs]) => [key, { status: 'passed' as const, durationMs }] as const,
  );
  const catalog = {
    scenarios: (made.scenarios ?? []).map(
      ({ key, storyIds }): SourceScenario => ({
        ...{ key, storyIds, feature: 'F', title: key, steps: [], examples: [], tags: [] },
        ...{ path: 'a.feature', line: 1 },
      }),
    ),
    routes: [],
  };
  const results = { ...Object.fromEntries(durations), ...made.results };
  const state: AssuranceState = {
    ...{ effective, catalog, routes: catalog.routes },
    ...makeParts(effective, catalog, { ...made, results }),
    traces,
    tracesOf: Map.groupBy(traces, ({ storyId }) => storyId),
    justificationsOf: new Map(),
    validationsOf: Map.groupBy(verdicts, ({ storyId }) => storyId),
    verdictClock: verdicts.length,
    issuesOf: new Map(),
    coverage: () => coverStories(state),
  };
  return state;
}
