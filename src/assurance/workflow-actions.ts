// What comes next for a story: the requests that bring it on from where it stands, with their bodies
// where nothing is left to say.
import type { Capability, Method } from '../http/access.ts';
import type { GraphNode } from '../requirements/graph/model.ts';
import type { Need, StoryCoverage } from './coverage-model.ts';
import type { AssuranceState } from './state.ts';
import type { StoryCommand } from './story-commands.ts';
import { coverageFor, isLeftToVerdicts, judgesOf } from './story-coverage.ts';
import { sortLinks, standingOfTarget } from './story-links.ts';
import { suspectLinks } from './suspect-links.ts';
import type { Stage, StageFacts, StageName } from './workflow.ts';

/** A request that would bring the story on. */
export interface NextAction {
  action: string;
  method: Method;
  path: string;
  capability: Capability;
  why: string;
  /** The body that does it; left out where something has yet to be said. */
  body?: object;
}

/** What the requests for a story are made of. */
export interface NextStory extends Pick<GraphNode, 'id' | 'title' | 'statement' | 'acceptance'> {
  /** Needs that are neither met nor justified. */
  unmet: readonly Need[];
  /** Who may settle its edits. */
  settler: Capability;
  /** Ids of the links that were made for an earlier text, its own or those that it inherits from. */
  suspects: readonly string[];
  /** The stories whose links these are, where it inherits. */
  suspectIn: readonly string[];
  /** Nothing that runs judges it, nor has to. */
  leftToVerdicts: boolean;
  /** The key of a command that would verify it, as no command has it. */
  newKey: string;
  /** The key of a scenario that would verify it, as no scenario has it. */
  newScenario: string;
  /** Commands that verify it, but for those in quarantine. */
  commands: readonly string[];
  /** These, and those that ran its tests last. */
  runners: readonly string[];
  /** Commands in quarantine, where by these nothing judges it. */
  quarantined: readonly Pick<StoryCommand, 'id' | 'guarded'>[];
}

const [REVIEWED_MOST, STEPS_MOST, NAME_MOST, NUMBER_MOST] = [1000, 1000, 300, 10];
const [STEP_MOST, NAMED_MOST] = [65_536, 10];

/**
 * Gathers what the requests for a story are made of.
 *
 * @param isScenario - whether a scenario has a key: one of the sources, or a stored one in any state
 */
export function nextStory(
  state: AssuranceState,
  node: GraphNode,
  isScenario: (key: string) => boolean,
): NextStory {
  const { id, title, statement, acceptance } = node;
  const { needs, traces, status, inherited } = coverageFor(state, node);
  const links = sortLinks(state, id, traces);
  const commands = new Set<string>();
  const runners = new Set<string>();
  const quarantined = new Set<StoryCommand>();
  for (const { type, target } of traces) {
    if (type !== 'verifies') continue;
    const result = state.results.of(target);
    const standing = standingOfTarget(state, target, result);
    if (standing === 'retired') continue;
    const own = target.kind === 'command' ? target.id : undefined;
    const runner = state.commands.find(own ?? result?.commandId ?? '');
    if (!runner) continue;
    // What is run in quarantine brings no story on.
    if (standing === 'quarantined') quarantined.add(runner);
    else runners.add(runner.id);
    if (own !== undefined && standing === 'counts') commands.add(runner.id);
  }
  const suspectIn = inherited && status === 'suspect' ? suspectBelow(state, id) : [];
  const suspects = [{ traces }, ...suspectIn].flatMap((one) =>
    suspectLinks(state, one.traces).flatMap(({ id: traceId }) => traceId ?? []),
  );
  return {
    ...{ id, title, statement, acceptance },
    settler: settlerOf(state, id),
    unmet: needs.flatMap(({ need, state: met }) => (met === 'unmet' ? [need] : [])),
    ...{ suspects, suspectIn: suspectIn.map(({ storyId }) => storyId) },
    leftToVerdicts: !inherited && isLeftToVerdicts(links),
    ...{ commands: [...commands], runners: [...runners] },
    quarantined: judgesOf(links).length === 0 ? [...quarantined] : [],
    newKey: freeKey(`verify ${id}`, (key) => state.commands.find(key) !== undefined),
    newScenario: freeKey(`${id} / ${nameFor(node)}`, isScenario),
  };
}

/** The stories with suspect links of their own that a suspect story has its status from. */
function suspectBelow({ effective, coverage }: AssuranceState, id: string): StoryCoverage[] {
  const { at, incoming } = effective.index;
  const { of } = coverage();
  const found = new Set<StoryCoverage>();
  const inheriting = new Set([id]);
  for (const above of inheriting) {
    for (const { type, from } of incoming[at.get(above) ?? -1] ?? []) {
      const below = type === 'refines' || type === 'derives' ? of(from) : undefined;
      if (below?.status !== 'suspect') continue;
      if (below.inherited) inheriting.add(from);
      else found.add(below);
    }
  }
  return [...found];
}

/** Whoever edits may rebase an edit that is in conflict; under review an owner decides the others. */
function settlerOf({ effective: { edits, settings } }: AssuranceState, id: string): Capability {
  const conflicted = edits.some(({ storyId, state }) => storyId === id && state === 'conflicted');
  return settings.editPolicy === 'review' && !conflicted ? 'project:owner' : 'srs:edit';
}

/** A text as a key that is not taken, numbered where it would be. */
function freeKey(text: string, isTaken: (key: string) => boolean): string {
  const key = onOneLine(text)
    .slice(0, NAME_MOST - NUMBER_MOST)
    .trim();
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? key : `${key} ${number}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** The requests that bring a story on from where it stands, the most helpful first. */
export function nextActions(
  story: NextStory,
  stages: readonly Stage[],
  facts: Record<StageName, StageFacts>,
): NextAction[] {
  const open = stages.find(({ state }) => state !== 'done');
  if (!open) return [];
  const [why = ''] = facts[open.name].missing;
  const read: NextAction = {
    ...{
      action: 'read_story',
      method: 'GET',
      path: `/api/srs-story/${encodeURIComponent(story.id)}`,
    },
    ...{ capability: 'srs:edit', why: 'All that is known of the story.' },
  };
  return [...WAYS[open.name](story, open, why), read];
}

type Way = (story: NextStory, stage: Stage, why: string) => NextAction[];

const WAYS: Record<StageName, Way> = {
  specified: (_story, { missing, evidence }, why) => {
    // Edits change texts; what the audit has found is mended where it stands. Its findings come last.
    const found = evidence.length === 0 ? undefined : missing.at(-evidence.length);
    return [
      ...(missing.length > evidence.length
        ? [post('edit_story', '/api/story-edits', 'srs:edit', why)]
        : []),
      ...(found === undefined
        ? []
        : [post('import_sources', '/api/projects', 'project:owner', found)]),
    ];
  },
  agreed: ({ settler }, _stage, why) => [
    { ...post('settle_edit', '/api/story-edits', settler, why), method: 'PATCH' },
  ],
  covered(story, { state }, why) {
    const { id, unmet, suspects, suspectIn } = story;
    const path = '/api/project-traceability';
    if (state === 'suspect') {
      const whose = suspectIn.length > 0 ? `${why} These are links of ${listed(suspectIn)}.` : why;
      const body = suspects.length > 0 && { review: suspects.slice(0, REVIEWED_MOST) };
      return [post('review_trace', path, 'srs:edit', whose, body || undefined)];
    }
    return [
      post('add_trace', path, 'srs:edit', why),
      ...(unmet.includes('test') ? testsOf(story) : []),
      ...(unmet.includes('scenario') ? [scenarioOf(story)] : []),
      post('justify_need', path, 'srs:edit', `A need of ${id} may be justified instead.`),
    ];
  },
  executed({ id, commands, runners, leftToVerdicts, quarantined }, _stage, why) {
    const own = { storyIds: [id], strategy: 'full' };
    const suite = { commandIds: runners, agent: { name: 'agent' } };
    const set = quarantined.slice(0, NAMED_MOST).map((one) => endQuarantine(one, why));
    return [
      ...set,
      ...(set.length > 0
        ? [post('add_trace', '/api/project-traceability', 'srs:edit', OTHERS)]
        : []),
      ...(commands.length > 0
        ? [post('plan_tests', '/api/agent/plan', 'agent:execute', why, own)]
        : []),
      ...(runners.length > 0
        ? [post('claim_suite', '/api/agent/suite', 'agent:execute', CLAIM, suite)]
        : []),
      post('run_tests', '/api/test-runs', 'agent:execute', set.length > 0 ? RUN_OTHERWISE : why),
      ...(leftToVerdicts
        ? [post('record_verdict', '/api/validation-transfer', 'srs:edit', VERDICT)]
        : []),
    ];
  },
  validated: (_story, { state, evidence }, why) => [
    ...(state === 'blocked' ? [resolveIssue(evidence[0] ?? '', why)] : []),
    post(
      'record_verdict',
      '/api/validation-transfer',
      'srs:edit',
      state === 'blocked' ? 'The verdict follows.' : why,
    ),
  ],
};

const VERDICT = 'No test has to run: a verdict is enough.';
const OTHERS = 'Another test that verifies it judges it, once it has run.';
const RUN_OTHERWISE =
  'A test or scenario of it counts once it is reported by a run of no command in quarantine.';
const CLAIM = 'An agent that claims these commands runs them, and reports with the lease it gets.';

function post(
  action: string,
  path: string,
  capability: Capability,
  why: string,
  body?: object,
): NextAction {
  return { action, method: 'POST', path, capability, why, ...(body ? { body } : {}) };
}

function listed(ids: readonly string[]): string {
  const more = ids.length - NAMED_MOST;
  return ids.slice(0, NAMED_MOST).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function testsOf({ id, newKey: key }: NextStory): NextAction[] {
  return [
    post(
      'create_test_command',
      '/api/test-commands',
      'agent:execute',
      'A command that names the story covers it; one with an argv is run by agents.',
      { key, kind: 'manual', storyIds: [id] },
    ),
    post(
      'report_test',
      '/api/test-runs',
      'agent:execute',
      `A test that has [${id}] in its name covers it once it is reported.`,
    ),
  ];
}

/** A scenario that holds the story to its criteria, to be gone on from. */
function scenarioOf(story: NextStory): NextAction {
  const { id, title, statement, acceptance, newScenario: key } = story;
  const criteria = acceptance.filter((text) => onOneLine(text) !== '');
  const [first = id] = [statement, title].filter((text) => onOneLine(text) !== '');
  const steps = (criteria.length > 0 ? criteria : [first])
    .slice(0, STEPS_MOST)
    .map((text) => ({ keyword: 'Then', text: sendable(text.slice(0, STEP_MOST)) }));
  return post(
    'write_scenario',
    '/api/project-scenarios',
    'srs:edit',
    'A scenario that names the story covers it.',
    { key, title: nameFor(story), steps, storyIds: [id] },
  );
}

/** What a story is called: some have no title. */
function nameFor({ id, title }: Pick<NextStory, 'id' | 'title'>): string {
  return onOneLine(title) || onOneLine(id);
}

/** A text as a request may have it: sources hold what no text of a body may. */
function sendable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A text as keys and titles have it. */
function onOneLine(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, NAME_MOST)
    .trim();
  return line.toWellFormed();
}

function endQuarantine({ id, guarded }: NextStory['quarantined'][number], why: string): NextAction {
  return {
    ...{ action: 'end_quarantine', method: 'PATCH', path: '/api/test-commands' },
    ...{ capability: guarded ? 'project:owner' : 'agent:execute', why },
    body: { id, state: 'active' },
  };
}

function resolveIssue(id: string, why: string): NextAction {
  return {
    ...{ action: 'resolve_issue', method: 'PATCH', path: `/api/issues/${encodeURIComponent(id)}` },
    ...{ capability: 'project:owner', why },
    body: { status: 'resolved', resolution: 'fixed' },
  };
}
