// Routes of one story and of its workflow, with all that is known of the story.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, tagged } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { NO_STRIP, stripsOf } from '../../quality/runs/strips.ts';
import type { GraphEdge, GraphNode } from '../../requirements/graph/model.ts';
import { movesOf, moveView, overlayView } from '../../requirements/overlay/changes.ts';
import { EDIT_FIELDS, sameValue } from '../../requirements/overlay/model.ts';
import type { Db } from '../../store/database.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import type { CoveringTest, LastResult, StoryCoverage } from '../coverage/model.ts';
import { resultView } from '../coverage/story-coverage.ts';
import { standingOfTarget, tracesTo } from '../coverage/story-links.ts';
import { findTest } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { verdictsToCarry } from '../validation/transfer.ts';
import { currentVerdict, standingOf, storyOf, validationView } from '../validation/verdicts.ts';
import { nextActions } from './actions.ts';
import { stageFacts } from './facts.ts';
import { Story, stagesOf, Workflow } from './model.ts';

const STORY_DOCS = {
  story: {
    description: 'The story as it is in force, with `canonical` where an edit makes another of it.',
    replies: { 200: { description: 'The story', headers: ['ETag'] } },
    problems: ['not_found'],
  },
  workflow: {
    description:
      'The stages of a story: `specified` (a statement, a story acceptance criteria too, no error that the audit finds), ' +
      '`agreed` (no edit waits or conflicts), `covered` (every need linked and not suspect, or justified), `executed` (each ' +
      'covering test has run on this text), `validated` (a passed verdict on this text and all it rests on, no open triaged ' +
      'blocker). `next` holds requests that bring it on.',
    replies: { 200: { description: 'The workflow', headers: ['ETag'] } },
    problems: ['not_found'],
  },
} satisfies Record<string, OperationDocs>;

export const storyRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'stories' })
    .use(api(assurance))
    .get(
      '/srs-story/:id',
      async ({ caller, params }) => {
        const state = await assurance.states.of(caller.projectId);
        const node = requireStory(state, params.id);
        const covering = state.coverage().of(node.id)?.tests ?? [];
        const tests = await withStrips(assurance.database.read, state, covering);
        return tagged<Static<typeof Story>>(state.effective, storyView(state, node, tests));
      },
      {
        operation: { id: 'getStory', docs: STORY_DOCS.story },
        query: noQuery,
        response: answers({ 200: Story }),
      },
    )
    .get(
      '/srs-workflow/:id',
      async ({ caller, params }) => {
        const state = await assurance.states.of(caller.projectId);
        const node = requireStory(state, params.id);
        return tagged(state.effective, await workflowOf(assurance, state, node));
      },
      {
        operation: { id: 'getWorkflow', docs: STORY_DOCS.workflow },
        query: noQuery,
        response: answers({ 200: Workflow }),
      },
    );

function requireStory({ effective }: AssuranceState, id: string): GraphNode {
  const node = storyOf(effective, id);
  if (!node) throw notFound('story');
  return node;
}

async function workflowOf(
  assurance: Assurance,
  state: AssuranceState,
  node: GraphNode,
): Promise<Static<typeof Workflow>> {
  const { graphs, database } = assurance;
  const { revision, projectId } = state.effective;
  const findings = revision ? await graphs.findings(revision) : [];
  const toCarry = verdictsToCarry(state).get(node.id);
  const { stage, stages } = stagesOf(stageFacts(state, node, findings, toCarry));
  const moves = await movesOf(database.read, projectId, node.id);
  const verdicts = state.validationsOf.get(node.id) ?? [];
  const history = [...moves.map(moveView), ...verdicts.map(verdictEvent)];
  return {
    storyId: node.id,
    stage,
    stages,
    next: nextActions({ state, node, toCarry }, stages),
    history: history.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
  };
}

function verdictEvent({ at, id, verdict, byToken, byLabel, note }: ValidationRow) {
  return {
    at: timestamp(at),
    event: `judged_${verdict}`,
    actor: byToken === null ? null : { tokenId: byToken, label: byLabel },
    detail: [id, note].filter(Boolean).join(': '),
  };
}

function storyView(
  state: AssuranceState,
  node: GraphNode,
  tests: Awaited<ReturnType<typeof withStrips>>,
): Static<typeof Story> {
  const { effective, issuesOf, validationsOf } = state;
  const { index, edits, additions } = effective;
  const { id } = node;
  const place = index.at.get(id) ?? 0;
  const isOwn = ({ storyId }: { storyId: string }) => storyId === id;
  const linkTo = ({ type, status }: GraphEdge, other: string) => {
    return { type, status, id: other, title: effective.node(other)?.title ?? null };
  };
  const last = currentVerdict(effective, validationsOf.get(id));
  return {
    ...node,
    revision: effective.revision?.number ?? 0,
    ...canonicalOf(state, node),
    overlays: [
      ...additions.filter(isOwn).map((addition) => overlayView({ edit: null, addition })),
      ...edits.filter(isOwn).map((edit) => overlayView({ edit, addition: null })),
    ].filter((one) => one !== undefined),
    links: {
      outgoing: index.outgoing(place).map((edge) => linkTo(edge, edge.to)),
      incoming: index.incoming(place).map((edge) => linkTo(edge, edge.from)),
    },
    coverage: coverageView(state.coverage().of(id), tests),
    validation: last ? { ...validationView(last), standing: standingOf(effective, last) } : null,
    lastResults: lastResults(state, id),
    openIssues: (issuesOf.get(id) ?? []).map(({ storyId: _of, ...issue }) => issue),
  };
}

function coverageView<T>(story: StoryCoverage | undefined, tests: T) {
  if (!story) return null;
  const traces = story.traces.map(({ storyId: _of, row: _row, ...trace }) => trace);
  return { ...story, tests, traces };
}

/** Of its first tests how they went of late: of more a page would hold too much. */
const MAX_STRIPS = 200;

async function withStrips(
  db: Db,
  { tests, commands }: AssuranceState,
  covering: readonly CoveringTest[],
) {
  const keys = covering
    .slice(0, MAX_STRIPS)
    .map(({ kind, id }) => (kind === 'test' ? findTest(tests, id)?.seq : commands.find(id)?.id));
  const ofTest = await stripsOf(
    db,
    'test',
    keys.filter((key) => typeof key === 'number'),
  );
  const ofCommand = await stripsOf(
    db,
    'command',
    keys.filter((key) => typeof key === 'string'),
  );
  return covering.map((test, at) => {
    const key = keys[at];
    if (key === undefined) return { ...test, ...NO_STRIP };
    return { ...test, ...(typeof key === 'number' ? ofTest(key) : ofCommand(key)) };
  });
}

function canonicalOf({ effective: { canonical } }: AssuranceState, node: GraphNode) {
  const source = canonical.graph.nodes[canonical.at.get(node.id) ?? -1];
  if (!source) return {};
  const differs = EDIT_FIELDS.some((field) => !sameValue(source[field], node[field]));
  return differs ? { canonical: source } : {};
}

/** The newest first; what commands out of use ran last is none. */
export function lastResults(state: AssuranceState, storyId: string): LastResult[] {
  const traces = state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
  const found = traces.flatMap(({ type, target }) => {
    const result = type === 'verifies' ? state.results.of(target) : undefined;
    if (!result || standingOfTarget(state, target, result) === 'retired') return [];
    return { target, result };
  });
  found.sort((one, other) => other.result.at - one.result.at);
  return found.map((one) => resultView(state, one));
}
