// Where a story stands on its way from text to validation, and what comes next: a pure function of
// what is known of it.
import type { Capability } from '../http/access.ts';

export const STAGES = ['specified', 'agreed', 'covered', 'executed', 'validated'] as const;
export type StageName = (typeof STAGES)[number];
export type StageState = 'done' | 'current' | 'pending' | 'blocked' | 'suspect';

/** What a stage was found to be, before the stages before it are looked at. */
export interface StageFacts {
  /** Why it is not done; empty where it is. */
  missing: string[];
  /** Ids of what shows that it is done, or of what stands in its way. */
  evidence: string[];
  /** When it was reached, as far as that is known. */
  since: string | null;
  /** Something must be taken out of the way first. */
  blocked?: boolean;
  /** It was done, for a story that has changed since. */
  suspect?: boolean;
}

export interface Stage {
  name: StageName;
  state: StageState;
  since: string | null;
  evidence: string[];
  missing: string[];
}

/** A request that would bring the story on. */
export interface NextAction {
  action: string;
  method: string;
  path: string;
  capability: Capability;
  why: string;
}

/**
 * The stages of a story. The first that is not done is where it stands; later ones are pending, but
 * for those that were reached and are in doubt.
 *
 * @returns the stages, and the name of the one where the story stands: the last when all are done
 */
export function stagesOf(facts: Record<StageName, StageFacts>): {
  stage: StageName;
  stages: Stage[];
} {
  const first = STAGES.find((name) => !isDone(facts[name]));
  let before = true;
  const stages = STAGES.map((name): Stage => {
    const { missing, evidence, since } = facts[name];
    const done = isDone(facts[name]);
    const state = stateOf(facts[name], before, done);
    before &&= done;
    return { name, state, since: done ? since : null, evidence, missing };
  });
  return { stage: first ?? 'validated', stages };
}

function stateOf({ blocked, suspect }: StageFacts, before: boolean, done: boolean): StageState {
  if (done) return 'done';
  if (blocked) return 'blocked';
  if (suspect) return 'suspect';
  return before ? 'current' : 'pending';
}

function isDone({ missing, blocked, suspect }: StageFacts): boolean {
  return missing.length === 0 && !blocked && !suspect;
}

const STORY = encodeURIComponent;

/** The requests that bring a story on from where it stands, the most helpful first. */
export function nextActions(
  storyId: string,
  stages: readonly Stage[],
  facts: Record<StageName, StageFacts>,
  canEdit: boolean,
): NextAction[] {
  const open = stages.find(({ state }) => state !== 'done');
  if (!open) return [];
  const [why = ''] = facts[open.name].missing;
  const ways: Record<StageName, NextAction[]> = {
    specified: [
      act(
        canEdit ? 'edit_story' : 'import_sources',
        canEdit ? '/api/story-edits' : '/api/projects',
        canEdit ? 'srs:edit' : 'project:owner',
        why,
      ),
    ],
    agreed: [{ ...act('settle_edit', '/api/story-edits', 'srs:edit', why), method: 'PATCH' }],
    covered: [
      act(
        open.state === 'suspect' ? 'review_trace' : 'add_trace',
        '/api/project-traceability',
        'srs:edit',
        why,
      ),
      act(
        'justify_need',
        '/api/project-traceability',
        'srs:edit',
        'A need may be justified instead.',
      ),
    ],
    executed: [act('run_tests', '/api/test-runs', 'agent:execute', why)],
    validated: [
      ...(open.state === 'blocked'
        ? [
            {
              ...act(
                'resolve_issue',
                `/api/issues/${STORY(open.evidence[0] ?? '')}`,
                'project:owner',
                why,
              ),
              method: 'PATCH',
            },
          ]
        : []),
      act(
        'record_verdict',
        '/api/validation-transfer',
        'srs:edit',
        open.state === 'blocked' ? 'The verdict follows.' : why,
      ),
    ],
  };
  const read: NextAction = {
    ...{ action: 'read_story', method: 'GET', path: `/api/srs-story/${STORY(storyId)}` },
    ...{ capability: 'srs:edit', why: 'All that is known of the story.' },
  };
  return [...ways[open.name], read];
}

function act(action: string, path: string, capability: Capability, why: string): NextAction {
  return { action, method: 'POST', path, capability, why };
}
