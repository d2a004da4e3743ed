// The requests that cover a story that lacks something: as good for its workflow as for a handoff.
import type { Capability, Method } from '../../access/access.ts';
import { onOneLine, sendable } from '../overlay/free-key.ts';
import { type NextStory, nameFor } from './next-story.ts';

const [STEPS_MOST, STEP_MOST] = [1000, 65_536];

/** A request that would bring a story on. */
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

/** The headers of a request that is for one version of a resource. */
export function onVersion(version: number): Record<string, string> {
  return { 'If-Match': `"${version}"` };
}

/** The body that carries the last verdicts on stories to what these are by now. */
export function carrying(storyIds: readonly string[]): object {
  return { mode: 'carry', storyIds };
}

/** The requests that meet what a story needs and has not, the tests first. */
export function coveringActions(story: NextStory): NextAction[] {
  const { unmet } = story;
  return [
    ...(unmet.includes('test') ? testsOf(story) : []),
    ...(unmet.includes('scenario') ? [scenarioOf(story)] : []),
  ];
}

/** A request that posts. */
export function post(
  action: string,
  path: string,
  capability: Capability,
  why: string,
  body?: object,
): NextAction {
  return { action, method: 'POST', path, capability, why, ...(body ? { body } : {}) };
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
  const body = { key, title: nameFor(story), steps, storyIds: [id] };
  const why = 'A scenario that names the story covers it.';
  return {
    ...post('write_scenario', '/api/project-scenarios', 'srs:edit', why, body),
    // Somebody may have gone on from the same request.
    headers: { 'If-None-Match': '*' },
  };
}
