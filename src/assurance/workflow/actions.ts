// What comes next for a story: the requests that bring it on from where it stands, with their bodies
// where nothing is left to say.
import type { Capability, Method } from '../../access/access.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { onOneLine, sendable } from './keys.ts';
import { type NextStory, nameFor } from './next-story.ts';
import type { Stage, StageFacts, StageName } from './stages.ts';

const [MAX_REVIEWED, MAX_NAMED, MAX_STEPS, MAX_STEP_LENGTH] = [1000, 10, 1000, 65_536];

export interface NextAction {
  action: string;
  method: Method;
  path: string;
  capability: Capability;
  why: string;
  /** The body that does it; left out where something has yet to be said. */
  body?: object;
  /** What keeps it from undoing what somebody has done since. */
  headers?: Record<string, string>;
}

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
  read_run: ['GET', '/api/run-state', 'agent:execute'],
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

/** The headers of a request that is for one version of a resource. */
export function onVersion(version: number): Record<string, string> {
  return { 'If-Match': `"${version}"` };
}

/** The body that carries the last verdicts on stories to what these are by now. */
export function carrying(storyIds: readonly string[]): object {
  return { mode: 'carry', storyIds };
}

interface StoryToAct extends NextStory {
  /** Of the issue that blocks it. */
  blockerVersion?: number | undefined;
  /** The verdict on the story that was renamed to it, which waits to be carried. */
  toCarry?: ValidationRow | undefined;
  /** The runs that are under way, by the ids of their commands. */
  running?: ReadonlyMap<string, string> | undefined;
}

export function nextActions(
  story: StoryToAct,
  stages: readonly Stage[],
  facts: Record<StageName, StageFacts>,
): NextAction[] {
  const { failing, uncounted } = story;
  const open = stages.find(({ state }) => state !== 'done');
  if (!open && failing === undefined) return [];
  const path = `/api/srs-story/${encodeURIComponent(story.id)}`;
  if (uncounted !== undefined && open?.name !== 'agreed')
    return [request('read_story', uncounted, { path })];
  // Whatever else is done, it fails until these pass.
  const rerun = failing === undefined ? [] : runActions(story, failing, failing);
  const isRerun = rerun.length > 0 && open?.name === 'executed';
  const [why = ''] = open ? facts[open.name].missing : [];
  return [
    ...rerun,
    ...(open && !isRerun ? ACTIONS[open.name](story, open, why) : []),
    request('read_story', 'All that is known of the story.', { path }),
  ];
}

type StageActions = (story: StoryToAct, stage: Stage, why: string) => NextAction[];

const ACTIONS: Record<StageName, StageActions> = {
  specified({ lacking, openEdit, settler }, { missing, evidence }) {
    const actions: NextAction[] = [];
    const [text] = lacking;
    if (text !== undefined && openEdit !== undefined)
      actions.push(
        request('settle_edit', `${text} The edit ${openEdit} is to be settled first.`, {
          capability: settler,
        }),
      );
    else if (text !== undefined) actions.push(request('edit_story', text));
    // Edits change texts; what the audit has found is mended where it stands. Its findings come last.
    const found = evidence.length === 0 ? undefined : missing.at(-evidence.length);
    if (found !== undefined) actions.push(request('import_sources', found));
    return actions;
  },
  agreed: ({ settler }, _stage, why) => [request('settle_edit', why, { capability: settler })],
  covered(story, { state }, why) {
    const { id, suspects } = story;
    if (state === 'suspect') {
      const review = suspects.slice(0, MAX_REVIEWED);
      return [request('review_trace', why, review.length > 0 ? { body: { review } } : {})];
    }
    return [
      request('add_trace', why),
      ...coveringActions(story),
      request('justify_need', `A need of ${id} may be justified instead.`),
    ];
  },
  executed(story, _stage, why) {
    const ends = story.quarantined.slice(0, MAX_NAMED).map(({ id, guarded, version }) =>
      request('end_quarantine', why, {
        capability: guarded ? 'project:owner' : 'agent:execute',
        body: { id, state: 'active' },
        headers: onVersion(version),
      }),
    );
    const runs = runActions(story, why, ends.length > 0 ? RUN_OTHERWISE : why);
    if (ends.length > 0) runs.unshift(request('add_trace', OTHERS));
    if (story.leftToVerdicts) runs.push(verdictOn(story, VERDICT));
    return [...ends, ...runs];
  },
  validated(story, { state, evidence, missing }, why) {
    if (state !== 'blocked') return [verdictOn(story, missing.join(' '))];
    const resolve = request('resolve_issue', why, {
      path: `/api/issues/${encodeURIComponent(evidence[0] ?? '')}`,
      body: { status: 'resolved', resolution: 'fixed' },
      ...(story.blockerVersion === undefined ? {} : { headers: onVersion(story.blockerVersion) }),
    });
    return [resolve, verdictOn(story, 'The verdict follows.')];
  },
};

const VERDICT = 'No test has to run: a verdict is enough.';
const OTHERS = 'Another test that verifies it judges it, once it has run.';
const RUN_OTHERWISE =
  'A test or scenario of it counts once it is reported by a run of no command in quarantine.';
const CLAIM = 'An agent that claims these commands runs them, and reports with the lease it gets.';

function verdictOn({ toCarry }: StoryToAct, why: string): NextAction {
  return toCarry
    ? request('carry_verdict', why, { body: carrying([toCarry.storyId]) })
    : request('record_verdict', why);
}

function runActions(
  { id, commands, runners, running = new Map() }: StoryToAct,
  why: string,
  whyReport: string,
): NextAction[] {
  const idle = runners.filter((one) => !running.has(one));
  const underWay = [...new Set([...commands, ...runners])].flatMap((one) => running.get(one) ?? []);
  const actions = underWay.slice(0, MAX_NAMED).map((runId) =>
    request('read_run', `The run ${runId} of what verifies it is under way.`, {
      path: `/api/run-state?runId=${encodeURIComponent(runId)}`,
    }),
  );
  if (!commands.every((one) => running.has(one)))
    actions.push(request('plan_tests', why, { body: { storyIds: [id], strategy: 'full' } }));
  if (idle.length > 0) {
    const body = { commandIds: idle, agent: { name: 'agent' } };
    actions.push(request('claim_suite', CLAIM, { body }));
  }
  if (underWay.length === 0 || idle.length > 0) actions.push(request('run_tests', whyReport));
  return actions;
}

/** The requests that meet what a story needs and has not, the tests first. */
export function coveringActions(story: NextStory): NextAction[] {
  const { id, unmet, newKey: key } = story;
  const actions: NextAction[] = [];
  if (unmet.includes('test')) {
    const why = 'A command that names the story covers it; one with an argv is run by agents.';
    const named = `A test that has [${id}] in its name covers it once it is reported.`;
    const body = { key, kind: 'manual', storyIds: [id] };
    actions.push(request('create_test_command', why, { body }), request('report_test', named));
  }
  if (unmet.includes('scenario')) {
    // Somebody may have gone on from the same request.
    const headers = { 'If-None-Match': '*' };
    const why = 'A scenario that names the story covers it.';
    actions.push(request('write_scenario', why, { body: newScenario(story), headers }));
  }
  return actions;
}

function newScenario(story: NextStory): object {
  const { id, title, statement, acceptance, newScenario: key } = story;
  const criteria = acceptance.filter((text) => onOneLine(text) !== '');
  const [first = id] = [statement, title].filter((text) => onOneLine(text) !== '');
  const steps = (criteria.length > 0 ? criteria : [first])
    .slice(0, MAX_STEPS)
    .map((text) => ({ keyword: 'Then', text: sendable(text.slice(0, MAX_STEP_LENGTH)) }));
  return { key, title: nameFor(story), steps, storyIds: [id] };
}
