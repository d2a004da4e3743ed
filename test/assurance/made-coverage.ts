// States for tests of coverage: nodes of any kind and status, links of any kind, results that have
// been made up.

import { coverStories } from '../../src/assurance/coverage/coverage.ts';
import type { Need, StoryTrace } from '../../src/assurance/coverage/model.ts';
import { storyTrace, tracesTo } from '../../src/assurance/coverage/story-links.ts';
import type { AssuranceState, OpenIssue } from '../../src/assurance/state/state.ts';
import { buildGraph } from '../../src/requirements/graph/build.ts';
import { type Effective, effectiveOf } from '../../src/requirements/graph/effective.ts';
import { indexGraph } from '../../src/requirements/graph/graph-index.ts';
import { DEFAULT_SETTINGS } from '../../src/requirements/projects/settings.ts';
import type {
  SourceItem,
  SourceLink,
  SourceRoute,
  SourceScenario,
} from '../../src/requirements/sources/model.ts';
import type {
  JustificationRow,
  TraceRow,
  ValidationRow,
} from '../../src/store/tables/assurance.ts';
import { DEEP_THEN, type MadeParts, makeParts, THEN } from './made-results.ts';
import { makeState } from './made-state.ts';

export interface MadeTrace {
  storyId: string;
  /** `<kind> <id>`. */
  to: string;
  type?: string;
  /** Made for an earlier text of the story. */
  old?: boolean;
  note?: string;
}

export interface MadeVerdict {
  storyId: string;
  verdict?: string;
  /** On an earlier text; or on an earlier text of something that it rests on. */
  on?: 'then' | 'deep then';
}

export interface MadeCoverage extends MadeParts {
  /** Stories by their ids, or with more; the order is that of the source. */
  nodes: readonly (string | (Partial<SourceItem> & { id: string }))[];
  links?: readonly (readonly [from: string, type: SourceLink['type'], to: string])[];
  needs?: readonly Need[];
  traces?: readonly MadeTrace[];
  justified?: readonly (readonly [storyId: string, need: Need, reason: string])[];
  verdicts?: readonly MadeVerdict[];
  scenarios?: readonly { key: string; storyIds: string[] }[];
  routes?: readonly { method: string; template: string; storyIds: string[] }[];
  issues?: readonly OpenIssue[];
}

/** Makes a state. */
export function makeCovered(made: MadeCoverage): AssuranceState {
  const effective = effectiveFor(made);
  const traces = (made.traces ?? []).map((one, at) => traceRow(effective, one, at));
  const justifications = (made.justified ?? []).map(
    ([storyId, need, reason], at): JustificationRow => ({
      ...{ seq: at + 1, projectId: 'prj_1', storyId, need, reason },
      ...{ authorToken: 'tok_1', authorLabel: null, createdAt: 0 },
    }),
  );
  const verdicts = (made.verdicts ?? []).map((one, at) => verdictRow(effective, one, at));
  const catalog = {
    scenarios: (made.scenarios ?? []).map(scenarioOf),
    routes: (made.routes ?? []).map(routeOf),
  };
  const state: AssuranceState = {
    ...makeState({ stories: [] }),
    ...{ effective, catalog, routes: catalog.routes },
    ...makeParts(effective, catalog, made),
    traces,
    tracesOf: Map.groupBy(traces, ({ storyId }) => storyId),
    justificationsOf: Map.groupBy(justifications, ({ storyId }) => storyId),
    validationsOf: Map.groupBy(verdicts, ({ storyId }) => storyId),
    issuesOf: Map.groupBy(made.issues ?? [], ({ storyId }) => storyId),
    coverage() {
      covered ??= coverStories(state);
      return covered;
    },
  };
  let covered: ReturnType<AssuranceState['coverage']> | undefined;
  return state;
}

function effectiveFor({ nodes, links = [], needs }: MadeCoverage): Effective {
  const settings = { ...DEFAULT_SETTINGS, needs: [...(needs ?? DEFAULT_SETTINGS.needs)] };
  const items = nodes.map((node, at): SourceItem => {
    const { id, ...more } = typeof node === 'string' ? { id: node } : node;
    return {
      ...{ id, kind: 'story', title: `Title of ${id}`, statement: `It does ${id}.` },
      ...{ acceptance: ['It does.'], rationale: null, status: null, priority: null, tags: [] },
      ...{ attributes: {}, path: 'a.md', line: at + 1, parentId: null, active: true, ...more },
    };
  });
  const found = links.map(
    ([from, type, to]): SourceLink => ({ from, to, type, path: 'a.md', line: 1 }),
  );
  return effectiveOf({
    ...{ projectId: 'prj_1', revision: undefined, settings, overlayClock: 0 },
    canonical: indexGraph(buildGraph({ items, links: found }, settings.normative)),
    ...{ edits: [], additions: [] },
  });
}

function traceRow(effective: Effective, made: MadeTrace, at: number): TraceRow {
  const { storyId, to, type, old, note } = made;
  const space = to.indexOf(' ');
  return {
    ...{ seq: at + 1, id: `trc_${at}`, projectId: 'prj_1', storyId, type: type ?? 'verifies' },
    ...{ targetKind: to.slice(0, space), targetId: to.slice(space + 1), origin: 'declared' },
    fingerprint: old ? THEN : (effective.node(storyId)?.fingerprint ?? THEN),
    ...{ note: note ?? null, authorToken: 'tok_1', authorLabel: 'me', createdAt: at, version: 1 },
    ...{ reviewedAt: null, reviewedToken: null, reviewedLabel: null },
  } as TraceRow;
}

function verdictRow(
  effective: Effective,
  { storyId, verdict, on }: MadeVerdict,
  at: number,
): ValidationRow {
  const node = effective.node(storyId);
  return {
    ...{ seq: at + 1, id: `val_${at}`, projectId: 'prj_1', storyId },
    ...{ verdict: verdict ?? 'passed', method: 'inspection', evidence: null, tests: [] },
    ...{ byKind: 'person', byToken: null, byLabel: null, at, revision: 1 },
    fingerprint: on === 'then' ? THEN : (node?.fingerprint ?? ''),
    deepFingerprint: on ? DEEP_THEN : (node?.deepFingerprint ?? ''),
    ...{ transferredFrom: null, note: null, createdAt: at, resultsUpTo: null },
  };
}

function scenarioOf({ key, storyIds }: { key: string; storyIds: string[] }): SourceScenario {
  return {
    ...{ key, storyIds, feature: 'F', title: `Title of ${key}`, steps: [], examples: [] },
    ...{ tags: [], path: 'a.feature', line: 7 },
  };
}

function routeOf(made: { method: string; template: string; storyIds: string[] }): SourceRoute {
  return {
    ...{ ...made, operationId: null, summary: '', tags: [], params: [] },
    ...{ path: 'api.yaml', line: 1 },
  };
}

/** All links of a project in source order, those of stories that are gone last. */
export function listTraces(state: AssuranceState): StoryTrace[] {
  const { at, graph } = state.effective.index;
  const gone = state.traces.filter(({ storyId }) => !at.has(storyId));
  return [
    ...graph.nodes.flatMap(({ id }) => tracesTo(state, id)),
    ...gone.map((row) => storyTrace(state, row)),
  ];
}
