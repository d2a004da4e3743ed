// Where a story stands on its way from text to validation: a pure function of what is known of it.

export const STAGES = ['specified', 'agreed', 'covered', 'executed', 'validated'] as const;
export type StageName = (typeof STAGES)[number];
export type StageState = 'done' | 'current' | 'pending' | 'blocked' | 'suspect';

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
