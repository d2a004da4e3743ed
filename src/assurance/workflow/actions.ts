// What comes next for a story: the requests that bring it on from where it stands. A body is there where
// nothing is left to say, and where it undoes nothing that somebody has done by the time it is sent.
import type { Static } from '@sinclair/typebox';
import type { Capability } from '../../access/access.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { coverageFor, isLeftToVerdicts, judgesOf } from '../coverage/story-coverage.ts';
import {
  sortLinks,
  standingOfTarget,
  suspectLinks,
  whyFailing,
  whyUncounted,
} from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import { lackingTexts } from './facts.ts';
import type { Stage, StageName, Workflow } from './model.ts';

const [MAX_NAME_LENGTH, MAX_NUMBER_LENGTH, MAX_LISTED] = [300, 10, 1000];

/** A text as a key that is not taken, in whatever state; numbered where it would be. */
export function freeKey(text: string, isTaken: (key: string) => boolean): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ');
  const key = line
    .slice(0, MAX_NAME_LENGTH - MAX_NUMBER_LENGTH)
    .trim()
    .toWellFormed();
  return firstFree((number) => (number === 1 ? key : `${key} ${number}`), isTaken);
}

/** The first id of the form `<prefix>-<number>` that is not taken. */
export function freeId(prefix: string, isTaken: (id: string) => boolean): string {
  return firstFree((number) => `${prefix}-${number}`, isTaken);
}

function firstFree(nameOf: (number: number) => string, isTaken: (name: string) => boolean) {
  for (let number = 1; ; number += 1) if (!isTaken(nameOf(number))) return nameOf(number);
}

export type NextAction = Static<typeof Workflow>['next'][number];

const REQUESTS = {
  read_story: ['GET', '/api/srs-story', 'srs:edit'],
  edit_story: ['POST', '/api/story-edits', 'srs:edit'],
  settle_edit: ['PATCH', '/api/story-edits', 'srs:edit'],
  import_sources: ['POST', '/api/projects', 'srs:edit'],
  review_trace: ['POST', '/api/project-traceability', 'srs:edit'],
  add_trace: ['POST', '/api/project-traceability', 'srs:edit'],
  justify_need: ['POST', '/api/project-traceability', 'srs:edit'],
  create_test_command: ['POST', '/api/test-commands', 'agent:execute'],
  report_test: ['POST', '/api/test-runs', 'agent:execute'],
  write_scenario: ['POST', '/api/project-scenarios', 'srs:edit'],
  plan_tests: ['POST', '/api/agent/plan', 'agent:execute'],
  claim_suite: ['POST', '/api/agent/suite', 'agent:execute'],
  run_tests: ['POST', '/api/test-runs', 'agent:execute'],
  end_quarantine: ['PATCH', '/api/test-commands', 'agent:execute'],
  resolve_issue: ['PATCH', '/api/issues', 'project:owner'],
  carry_verdict: ['POST', '/api/validation-transfer', 'srs:edit'],
  record_verdict: ['POST', '/api/validation-transfer', 'srs:edit'],
} as const;

function request(
  action: keyof typeof REQUESTS,
  why: string,
  more: Partial<NextAction> = {},
): NextAction {
  const [method, path, capability] = REQUESTS[action];
  return { action, method, path, capability, why, ...more };
}

interface StoryAhead {
  state: AssuranceState;
  node: GraphNode;
  /** The verdict on the story that was renamed to it, which waits to be carried. */
  toCarry?: ValidationRow | undefined;
}

export function nextActions(story: StoryAhead, stages: readonly Stage[]): NextAction[] {
  const { state, node } = story;
  const open = stages.find((stage) => stage.state !== 'done');
  const uncounted = whyUncounted(node);
  const failing = uncounted === undefined ? failingOf(state, node) : undefined;
  if (!open && failing === undefined) return [];
  const path = `/api/srs-story/${encodeURIComponent(node.id)}`;
  if (uncounted !== undefined && open?.name !== 'agreed')
    return [request('read_story', uncounted, { path })];
  // Whatever else is done, it fails until these pass.
  const rerun = failing === undefined ? [] : runActions(state, node, failing);
  const isRerun = rerun.length > 0 && open?.name === 'executed';
  const [why = ''] = open?.missing ?? [];
  return [
    ...rerun,
    ...(open && !isRerun ? ACTIONS[open.name](story, open, why) : []),
    request('read_story', 'All that is known of the story.', { path }),
  ];
}

function failingOf(state: AssuranceState, node: GraphNode): string | undefined {
  const { status, inherited, traces } = coverageFor(state, node);
  return status === 'failing' && !inherited ? whyFailing(state, traces) : undefined;
}

type StageActions = (story: StoryAhead, stage: Stage, why: string) => NextAction[];

const ACTIONS: Record<StageName, StageActions> = {
  specified({ state, node }, { missing, evidence }) {
    const actions: NextAction[] = [];
    const [text] = lackingTexts(node);
    const edit = openEditOf(state, node);
    if (text !== undefined && edit) {
      const why = `${text} The edit ${edit.id} is to be settled first.`;
      actions.push(request('settle_edit', why, { capability: settlerOf(state, node) }));
    } else if (text !== undefined) actions.push(request('edit_story', text));
    // Edits change texts; what the audit has found is mended where it stands. Its findings come last.
    const found = evidence.length === 0 ? undefined : missing.at(-evidence.length);
    if (found !== undefined) actions.push(request('import_sources', found));
    return actions;
  },
  agreed: ({ state, node }, _stage, why) => [
    request('settle_edit', why, { capability: settlerOf(state, node) }),
  ],
  covered({ state, node }, stage, why) {
    const { id, fingerprint } = node;
    if (stage.state === 'suspect') {
      const links = suspectLinks(state, coverageFor(state, node).traces);
      const review = links.flatMap((link) =>
        link.id === null ? [] : { id: link.id, fingerprint },
      );
      const body = { review: review.slice(0, MAX_LISTED) };
      return [request('review_trace', why, review.length > 0 ? { body } : {})];
    }
    return [
      request('add_trace', why),
      ...coveringActions(state, node),
      request('justify_need', `A need of ${id} may be justified instead.`),
    ];
  },
  executed(story, _stage, why) {
    const { state, node } = story;
    const { traces, inherited } = coverageFor(state, node);
    const links = sortLinks(state, node.id, traces);
    const isQuarantined =
      judgesOf(links).length === 0 &&
      traces.some(({ type, target }) => {
        const standing = standingOfTarget(state, target, state.results.of(target));
        return type === 'verifies' && standing === 'quarantined';
      });
    const ends = isQuarantined
      ? [request('end_quarantine', why), request('add_trace', OTHERS)]
      : [];
    const isLeft = !inherited && isLeftToVerdicts(links);
    return [
      ...ends,
      ...runActions(state, node, why),
      ...(isLeft ? [verdictOn(story, 'No test has to run: a verdict is enough.')] : []),
    ];
  },
  validated(story, { state, evidence, missing }, why) {
    if (state !== 'blocked') return [verdictOn(story, missing.join(' '))];
    const path = `/api/issues/${encodeURIComponent(evidence[0] ?? '')}`;
    return [request('resolve_issue', why, { path }), verdictOn(story, 'The verdict follows.')];
  },
};

const OTHERS = 'Another test that verifies it judges it, once it has run.';
const CLAIM = 'An agent that claims these commands runs them, and reports with the lease it gets.';

/** An edit that waits for a decision, or before these one that is in conflict. */
function openEditOf({ effective }: AssuranceState, { id }: GraphNode) {
  const open = effective.edits.filter((edit) => edit.storyId === id && edit.state !== 'accepted');
  return open.find((edit) => edit.state === 'conflicted') ?? open[0];
}

/** Whoever edits may rebase an edit that is in conflict; under review an owner decides the others. */
function settlerOf(state: AssuranceState, node: GraphNode): Capability {
  const isConflicted = openEditOf(state, node)?.state === 'conflicted';
  const isReviewed = state.effective.settings.editPolicy === 'review';
  return isReviewed && !isConflicted ? 'project:owner' : 'srs:edit';
}

function verdictOn({ toCarry }: StoryAhead, why: string): NextAction {
  return toCarry
    ? request('carry_verdict', why, { body: { mode: 'carry', storyIds: [toCarry.storyId] } })
    : request('record_verdict', why);
}

function runActions(state: AssuranceState, node: GraphNode, why: string): NextAction[] {
  const commandIds = runnersOf(state, node);
  const report = request('run_tests', why);
  if (commandIds.length === 0) return [report];
  const plan = { storyIds: [node.id], strategy: 'full' };
  const suite = { commandIds, agent: { name: 'agent' } };
  return [
    request('plan_tests', why, { body: plan }),
    request('claim_suite', CLAIM, { body: suite }),
    report,
  ];
}

/** The commands that verify a story, and those that ran its tests last, as far as their results count. */
function runnersOf(state: AssuranceState, node: GraphNode): string[] {
  const runners = coverageFor(state, node).traces.flatMap(({ type, target }) => {
    if (type !== 'verifies') return [];
    const result = state.results.of(target);
    if (standingOfTarget(state, target, result) !== 'counts') return [];
    const id = target.kind === 'command' ? target.id : result?.commandId;
    return state.commands.find(id ?? '')?.id ?? [];
  });
  return [...new Set(runners)];
}

/** The requests that meet what a story needs and has not, the tests first. */
export function coveringActions(state: AssuranceState, node: GraphNode): NextAction[] {
  const { id } = node;
  const { needs } = coverageFor(state, node);
  const isUnmet = (wanted: string) =>
    needs.some(({ need, state: met }) => need === wanted && met === 'unmet');
  const actions: NextAction[] = [];
  if (isUnmet('test')) {
    const why = 'A command that names the story covers it; one with an argv is run by agents.';
    const named = `A test that has [${id}] in its name covers it once it is reported.`;
    const key = freeKey(`verify ${id}`, (one) => state.commands.find(one) !== undefined);
    const body = { key, kind: 'manual', storyIds: [id] };
    actions.push(request('create_test_command', why, { body }), request('report_test', named));
  }
  if (isUnmet('scenario'))
    actions.push(request('write_scenario', 'A scenario that names the story covers it.'));
  return actions;
}
