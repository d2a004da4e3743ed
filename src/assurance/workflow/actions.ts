// What comes next for a story: the requests that bring it on from where it stands, with their bodies
// where nothing is left to say.
import type { Capability } from '../../access/access.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { carrying, coveringActions, type NextAction, onVersion, post } from './covering-actions.ts';
import type { Filling } from './lacking-texts.ts';
import type { NextStory } from './next-story.ts';
import type { Stage, StageFacts, StageName } from './workflow.ts';

const [REVIEWED_MOST, NAMED_MOST] = [1000, 10];

interface Beside {
  /** Of the issue that blocks it. */
  blockerVersion?: number | undefined;
  /** The verdict on the story that was renamed to it, which waits to be carried. */
  toCarry?: ValidationRow | undefined;
  /** The runs that are under way, by the ids of their commands. */
  running?: ReadonlyMap<string, string> | undefined;
}

/** A story, with what is known of it beside its project's state. */
type Led = NextStory & Beside;

/** The first stage that is not done. */
function openStage(stages: readonly Stage[]): Stage | undefined {
  return stages.find(({ state }) => state !== 'done');
}

/** The issue that alone keeps a story from being judged; undefined where it is something else. */
export function blockerOf(stages: readonly Stage[]): string | undefined {
  const open = openStage(stages);
  return open?.name === 'validated' && open.state === 'blocked' ? open.evidence[0] : undefined;
}

/** The requests that bring a story on from where it stands, the most helpful first. */
export function nextActions(
  story: Led,
  stages: readonly Stage[],
  facts: Record<StageName, StageFacts>,
): NextAction[] {
  const open = openStage(stages);
  const { failing } = story;
  if (!open && failing === undefined) return [];
  const read: NextAction = {
    ...{
      action: 'read_story',
      method: 'GET',
      path: `/api/srs-story/${encodeURIComponent(story.id)}`,
    },
    ...{ capability: 'srs:edit', why: 'All that is known of the story.' },
  };
  if (story.uncounted !== undefined && open?.name !== 'agreed')
    return [{ ...read, why: story.uncounted }];
  // Whatever else is done, it fails until these pass.
  const rerun = failing === undefined ? [] : runActions(story, failing, failing);
  const isRerun = rerun.length > 0 && open?.name === 'executed';
  const [why = ''] = open ? facts[open.name].missing : [];
  return [...rerun, ...(open && !isRerun ? WAYS[open.name](story, open, why) : []), read];
}

type Way = (story: Led, stage: Stage, why: string) => NextAction[];

const WAYS: Record<StageName, Way> = {
  specified: ({ fillings }, { missing, evidence }) => {
    // Edits change texts; what the audit has found is mended where it stands. Its findings come last.
    const found = evidence.length === 0 ? undefined : missing.at(-evidence.length);
    const filled = new Set(fillings.flatMap(({ lacking }) => lacking));
    const lacking = missing
      .slice(0, missing.length - evidence.length)
      .filter((one) => !filled.has(one));
    const [why] = lacking;
    return [
      ...fillings.map((one) => settleEdit(one.settler, whyFilling(one))),
      ...(why === undefined ? [] : [post('edit_story', '/api/story-edits', 'srs:edit', why)]),
      ...(found === undefined ? [] : [post('import_sources', '/api/projects', 'srs:edit', found)]),
    ];
  },
  agreed: ({ settler }, _stage, why) => [settleEdit(settler, why)],
  covered(story, { state }, why) {
    const { id, suspects, suspectIn } = story;
    const path = '/api/project-traceability';
    if (state === 'suspect') {
      const whose = suspectIn.length > 0 ? `${why} These are links of ${listed(suspectIn)}.` : why;
      const body = suspects.length > 0 && { review: suspects.slice(0, REVIEWED_MOST) };
      return [post('review_trace', path, 'srs:edit', whose, body || undefined)];
    }
    return [
      post('add_trace', path, 'srs:edit', why),
      ...coveringActions(story),
      post('justify_need', path, 'srs:edit', `A need of ${id} may be justified instead.`),
    ];
  },
  executed(story, _stage, why) {
    const { leftToVerdicts, quarantined } = story;
    const set = quarantined.slice(0, NAMED_MOST).map((one) => endQuarantine(one, why));
    return [
      ...set,
      ...(set.length > 0
        ? [post('add_trace', '/api/project-traceability', 'srs:edit', OTHERS)]
        : []),
      ...runActions(story, why, set.length > 0 ? RUN_OTHERWISE : why),
      ...(leftToVerdicts ? [verdictOn(story, VERDICT)] : []),
    ];
  },
  validated: (story, { state, evidence, missing }, why) => [
    ...(state === 'blocked' ? [resolveIssue(evidence[0] ?? '', story.blockerVersion, why)] : []),
    verdictOn(story, state === 'blocked' ? 'The verdict follows.' : missing.join(' ')),
  ],
};

function settleEdit(settler: Capability, why: string): NextAction {
  return { ...post('settle_edit', '/api/story-edits', settler, why), method: 'PATCH' };
}

/** What a story lacks, and that an edit which is not settled yet sets it. */
function whyFilling({ edit: { id, state }, lacking }: Filling): string {
  const how = state === 'conflicted' ? 'is in conflict with the sources' : 'waits for a decision';
  return `${lacking.join(' ')} The edit ${id}, which ${how}, would change that.`;
}

/** Gives a verdict: one that was given under another name is carried as it was. */
function verdictOn({ toCarry }: Led, why: string): NextAction {
  const path = '/api/validation-transfer';
  return toCarry
    ? post('carry_verdict', path, 'srs:edit', why, carrying([toCarry.storyId]))
    : post('record_verdict', path, 'srs:edit', why);
}

/** Runs what covers a story: by a plan, by a suite, or by whoever reports it; what runs already is read. */
function runActions(
  { id, commands, runners, running = NONE_RUNNING }: Led,
  why: string,
  whyReport: string,
): NextAction[] {
  const own = { storyIds: [id], strategy: 'full' };
  const idle = runners.filter((one) => !running.has(one));
  const suite = { commandIds: idle, agent: { name: 'agent' } };
  const underWay = [...new Set([...commands, ...runners])].flatMap((one) => running.get(one) ?? []);
  const isAllUnderWay = underWay.length > 0 && idle.length === 0;
  return [
    ...underWay.slice(0, NAMED_MOST).map(readRun),
    ...(commands.length > 0 && !commands.every((one) => running.has(one))
      ? [post('plan_tests', '/api/agent/plan', 'agent:execute', why, own)]
      : []),
    ...(idle.length > 0
      ? [post('claim_suite', '/api/agent/suite', 'agent:execute', CLAIM, suite)]
      : []),
    ...(isAllUnderWay ? [] : [post('run_tests', '/api/test-runs', 'agent:execute', whyReport)]),
  ];
}

const NONE_RUNNING: ReadonlyMap<string, string> = new Map();

function readRun(runId: string): NextAction {
  return {
    ...{ action: 'read_run', method: 'GET', capability: 'agent:execute' },
    path: `/api/run-state?runId=${encodeURIComponent(runId)}`,
    why: `The run ${runId} of what verifies it is under way.`,
  };
}

const VERDICT = 'No test has to run: a verdict is enough.';
const OTHERS = 'Another test that verifies it judges it, once it has run.';
const RUN_OTHERWISE =
  'A test or scenario of it counts once it is reported by a run of no command in quarantine.';
const CLAIM = 'An agent that claims these commands runs them, and reports with the lease it gets.';

function listed(ids: readonly string[]): string {
  const more = ids.length - NAMED_MOST;
  return ids.slice(0, NAMED_MOST).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function endQuarantine(
  { id, guarded, version }: NextStory['quarantined'][number],
  why: string,
): NextAction {
  return {
    ...{ action: 'end_quarantine', method: 'PATCH', path: '/api/test-commands' },
    ...{ capability: guarded ? 'project:owner' : 'agent:execute', why },
    headers: onVersion(version),
    body: { id, state: 'active' },
  };
}

function resolveIssue(id: string, version: number | undefined, why: string): NextAction {
  return {
    ...{ action: 'resolve_issue', method: 'PATCH', path: `/api/issues/${encodeURIComponent(id)}` },
    ...{ capability: 'project:owner', why },
    ...(version === undefined ? {} : { headers: onVersion(version) }),
    body: { status: 'resolved', resolution: 'fixed' },
  };
}
