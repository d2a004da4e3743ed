// The impact of a change, as answers give it.
import type { Effective } from '../../requirements/graph/effective.ts';

/** The fingerprint that a node has, made the way a stored one was. */
export type Under = Effective['under'];

export interface Impact {
  /** By distance along refines, derives and depends; the changed stories themselves at 0. */
  stories: { id: string; distance: number; via: string | null }[];
  /** Keys of the scenarios that verify one of them. */
  scenarios: string[];
  /** Ids of the commands that verify one of them, or that ran a test of one last. */
  testCommands: string[];
  routes: string[];
  /** Links of the changed stories, and what they become. */
  traces: { id: string; becomes: 'suspect' | 'broken' }[];
  /** Verdicts that would stand otherwise than they do, and not hold. */
  validations: { storyId: string; becomes: 'invalidated' | 'suspect' | 'orphaned' }[];
  testsToRerun: { kind: 'test' | 'command'; id: string }[];
  /** How long they took when they last ran; null where that is known of none of them. */
  estimateMs: number | null;
}
