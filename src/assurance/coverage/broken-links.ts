// Why a link of a story that is there counts for nothing.

import type { AssuranceState } from '../state/state.ts';
import type { StoryTrace } from './model.ts';

/** Why a link that is broken leads to nothing, in a sentence. */
export function whyBroken({ commands }: AssuranceState, { id, target }: StoryTrace): string {
  const { kind, id: name } = target;
  if (kind === 'test')
    return `${id} leads to none: several tests are called ${name}, and it has to name one by its file, suites and name, or by its testKey.`;
  const how =
    kind === 'command' && commands.find(name) !== undefined ? 'is archived' : 'is not there';
  return `${id} leads to none: the ${kind} ${name} ${how}.`;
}
