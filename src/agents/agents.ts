// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';

export interface Agents extends Assurance {}

/** Opens the agents. */
export function openAgents(assurance: Assurance): Agents {
  return { ...assurance };
}
