// What the impact of an edit says of verdicts and links, against what becomes of them when the edit is
// made.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { traceStateOf } from '../../src/assurance/coverage/story-links.ts';
import { impactOfEdit } from '../../src/assurance/impact/impact.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { dispositionsOf } from '../../src/assurance/validation/dispositions.ts';
import { buildGraph } from '../../src/requirements/graph/build.ts';
import { effectiveOf } from '../../src/requirements/graph/effective.ts';
import type { NormativeField } from '../../src/requirements/graph/fingerprint.ts';
import { type GraphIndex, indexGraph } from '../../src/requirements/graph/graph-index.ts';
import { DEFAULT_SETTINGS } from '../../src/requirements/projects/settings.ts';
import type { SourceLink } from '../../src/requirements/sources/model.ts';
import type { StoryEditRow, TraceRow, ValidationRow } from '../../src/store/tables/assurance.ts';
import { makeState } from './made-state.ts';

interface Edit {
  storyId: string;
  set: { title?: string; statement?: string; tags?: string[] };
}

type Step =
  | { edit: Edit }
  | { judge: string }
  | { link: string }
  | { normative: readonly NormativeField[] };

const DEFAULT: readonly NormativeField[] = DEFAULT_SETTINGS.normative;

/** A project with all that was done to it. */
interface Project {
  canonical: GraphIndex;
  edits: readonly Edit[];
  normative: readonly NormativeField[];
  verdicts: readonly ValidationRow[];
  traces: readonly TraceRow[];
}

/** Stories that all say the same, and rest on each other. */
function begin(ids: readonly string[], links: readonly [string, string, SourceLink['type']][]) {
  const items = ids.map((id, at) => ({
    ...{ id, kind: 'story' as const, title: 'x', statement: 'x', acceptance: [], rationale: null },
    ...{ status: null, priority: null, tags: [], attributes: {}, path: 'a.md', line: at + 1 },
    ...{ parentId: null, active: true },
  }));
  const sources = links.map(([from, to, type]) => ({ from, to, type, path: 'a.md', line: 1 }));
  const canonical = indexGraph(buildGraph({ items, links: sources }, [...DEFAULT]));
  const project: Project = { canonical, edits: [], normative: DEFAULT, verdicts: [], traces: [] };
  return project;
}

function stateOf(project: Project): AssuranceState {
  const { canonical, edits, normative, verdicts, traces } = project;
  const rows = edits.map(
    ({ storyId, set }, at) =>
      ({ seq: at, storyId, state: 'accepted', setFields: set }) as StoryEditRow,
  );
  const effective = effectiveOf({
    ...{ projectId: 'prj_1', revision: undefined, overlayClock: 0, canonical, edits: rows },
    ...{ settings: { ...DEFAULT_SETTINGS, normative: [...normative] }, additions: [] },
  });
  return {
    ...makeState({ stories: [] }),
    ...{ effective, traces, tracesOf: Map.groupBy(traces, ({ storyId }) => storyId) },
    validationsOf: Map.groupBy(verdicts, ({ storyId }) => storyId),
  };
}

/** A project after one more thing was done. */
function after(project: Project, step: Step): Project {
  if ('edit' in step) return { ...project, edits: [...project.edits, step.edit] };
  if ('normative' in step) return { ...project, normative: step.normative };
  const storyId = 'judge' in step ? step.judge : step.link;
  const node = stateOf(project).effective.node(storyId);
  if (!node) return project;
  const { fingerprint, deepFingerprint } = node;
  const { verdicts, traces } = project;
  if ('link' in step) {
    const id = `trc_${traces.length}`;
    const made = { id, storyId, type: 'verifies', targetKind: 'test', targetId: 't1:1' };
    return { ...project, traces: [...traces, { ...made, fingerprint } as TraceRow] };
  }
  const made = {
    seq: verdicts.length,
    id: `val_${verdicts.length}`,
    storyId,
    tests: [] as never[],
  };
  const verdict = { ...made, fingerprint, deepFingerprint } as unknown as ValidationRow;
  return { ...project, verdicts: [...verdicts, verdict] };
}

const BAD: ReadonlySet<string> = new Set(['invalidated', 'suspect', 'orphaned']);

/** What becomes of verdicts and links when an edit is made. */
function reallyBecomes(project: Project, edit: Edit) {
  const [was, is] = [project, after(project, { edit })].map((one) => {
    const state = stateOf(one);
    const items = dispositionsOf({
      target: { stories: [], node: state.effective.node, under: state.effective.under },
      ...{
        verdictsOf: state.validationsOf,
        from: undefined,
        idsOn: () => undefined,
        addedAt: new Map(),
      },
      testFingerprint: () => undefined,
    });
    return {
      verdicts: new Map(items.map(({ storyId, disposition }) => [storyId, disposition])),
      traces: new Map(one.traces.map((row) => [row.id, traceStateOf(state, row)])),
    };
  });
  const validations = [...(is?.verdicts ?? [])].flatMap(([storyId, becomes]) =>
    BAD.has(becomes) && becomes !== was?.verdicts.get(storyId) ? [{ storyId, becomes }] : [],
  );
  const traces = [...(is?.traces ?? [])].flatMap(([id, becomes]) =>
    becomes !== 'valid' && was?.traces.get(id) === 'valid' ? [{ id, becomes }] : [],
  );
  return { validations, traces };
}

const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();

/** Holds the impact of an edit against what becomes of all; gives what it says of verdicts. */
function compared(project: Project, edit: Edit) {
  const { stories, traces, validations } = impactOfEdit(stateOf(project), edit);
  const really = reallyBecomes(project, edit);
  expect(sorted(validations)).toEqual(sorted(really.validations));
  expect(sorted(traces)).toEqual(sorted(really.traces));
  return {
    stories: stories.map(({ id }) => id),
    traces: traces.map(({ id, becomes }) => `${id} ${becomes}`),
    verdicts: validations.map(({ storyId, becomes }) => `${storyId} ${becomes}`),
  };
}

const doneTo = (project: Project, ...steps: Step[]) => steps.reduce(after, project);

describe('the impact of an edit [PQRS-26]', () => {
  const resting = begin(['A', 'B'], [['B', 'A', 'depends']]);

  test('counts what was stamped before the profile became narrower', () => {
    const project = doneTo(...([resting, { link: 'A' }, { judge: 'A' }, { judge: 'B' }] as const), {
      normative: ['title', 'kind'],
    });
    expect(compared(project, { storyId: 'A', set: { statement: 'y' } })).toEqual({
      stories: ['A', 'B'],
      traces: ['trc_0 suspect'],
      verdicts: ['A invalidated', 'B suspect'],
    });
    expect(compared(project, { storyId: 'A', set: { tags: ['y'] } }).stories).toEqual([]);
    // What was stamped is on B alone.
    const below = doneTo(resting, { link: 'B' }, { normative: ['title'] });
    expect(compared(below, { storyId: 'A', set: { statement: 'y' } }).stories).toEqual([]);
  });
});

const ids = ['S0', 'S1', 'S2', 'S3', 'S4'];
const story = fc.constantFrom(...ids);
const text = fc.constantFrom('x', 'y', 'z');
const anEdit: fc.Arbitrary<Edit> = fc.record({
  storyId: story,
  set: fc.oneof(
    { weight: 3, arbitrary: fc.record({ title: text }) },
    fc.record({ statement: text }),
    fc.record({ title: text, statement: text }),
    fc.record({ tags: fc.array(text, { maxLength: 1 }) }),
  ),
});
const PROFILES: NormativeField[][] = [
  ...([['title'], ['title', 'kind'], ['statement', 'links'], ['tags', 'title']] as const),
  [...DEFAULT],
].map((fields) => [...fields]);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ edit: anEdit }) },
  { weight: 4, arbitrary: fc.record({ judge: story }) },
  fc.record({ link: story }),
  fc.record({ normative: fc.constantFrom(...PROFILES) }),
);
const project = fc
  .tuple(
    fc.array(fc.tuple(story, story, fc.constantFrom('depends' as const, 'refines' as const)), {
      maxLength: 8,
    }),
    fc.array(step, { maxLength: 14 }),
  )
  .map(([links, steps]) => doneTo(begin(ids, links), ...steps));

test('an edit does to verdicts and links what its impact says, whatever was done before [PQRS-26]', () => {
  fc.assert(
    fc.property(project, anEdit, (made, edit) => {
      const { traces, verdicts, stories } = compared(made, edit);
      if (traces.length + verdicts.length > 0) expect(stories).toContain(edit.storyId);
    }),
    { numRuns: 800 },
  );
});
