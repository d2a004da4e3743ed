// Where a story stands on its way from text to validation: a pure function of what is known of it.

export const STAGES = ['specified', 'agreed', 'covered', 'executed', 'validated'] as const;
export type StageName = (typeof STAGES)[number];
export const STAGE_STATES = ['done', 'current', 'pending', 'blocked', 'suspect'] as const;

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
  state: (typeof STAGE_STATES)[number];
  since: string | null;
  evidence: string[];
  missing: string[];
}

/**
 * The stages of a story. The first that is not done is where it stands; later ones are pending, but
 * for those that were reached and are in doubt.
 * @returns the stages, and the name of the one where the story stands: the last when all are done
 */
export function stagesOf(facts: Record<StageName, StageFacts>) {
  const isDone = (name: StageName) => {
    const { missing, blocked, suspect } = facts[name];
    return missing.length === 0 && !blocked && !suspect;
  };
  const first = STAGES.find((name) => !isDone(name));
  const stages = STAGES.map((name): Stage => {
    const { missing, evidence, since, blocked, suspect } = facts[name];
    const open = name === first ? 'current' : 'pending';
    const doubted = suspect ? 'suspect' : open;
    const undone = blocked ? 'blocked' : doubted;
    const state = isDone(name) ? 'done' : undone;
    return { name, state, since: state === 'done' ? since : null, evidence, missing };
  });
  return { stage: first ?? 'validated', stages };
}
