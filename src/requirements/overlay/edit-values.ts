// What an edit sets, as it is kept.
import type { EditValues } from './model.ts';

/** The same with each tag once: tags have no order and no number. */
export function withoutRepeats(set: EditValues): EditValues {
  return set.tags ? { ...set, tags: [...new Set(set.tags)] } : set;
}
