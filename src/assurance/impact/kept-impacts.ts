// The impacts of edits that somebody is about to make. They are asked for again and again while the
// edit is written, and what a much used story reaches is long.

import type { AssuranceState } from '../state/state.ts';
import {
  type DraftedEdit,
  impactOfEdit,
  isUnheard,
  movedStamps,
  movesToday,
} from './edit-impact.ts';
import type { Impact } from './impact.ts';

const BYTES_KEPT = 8 * 1024 * 1024;

interface Kept {
  answers: Map<string, Uint8Array<ArrayBuffer>>;
  bytes: number;
}

const kept = new WeakMap<AssuranceState, Kept>();

/** The answer to a dry run, `{ impact }` as JSON. */
export function answerOf(impact: Impact): Uint8Array<ArrayBuffer> {
  return Buffer.from(JSON.stringify({ impact }));
}

/**
 * The answer for a drafted edit; made once for as long as nothing changes. Of texts that nobody has
 * ever seen each is as good as the other, so that what is written on is not another edit each time.
 */
export function keptAnswer(state: AssuranceState, edit: DraftedEdit): Uint8Array<ArrayBuffer> {
  const { storyId, draft } = edit;
  if (!movesToday(state, edit)) return answerOf(impactOfEdit(state, edit));
  const own = kept.get(state) ?? { answers: new Map(), bytes: 0 };
  const moved = movedStamps(state, edit);
  const today = state.effective.node(storyId)?.fingerprint ?? '';
  const exact = `${[today, ...moved].map((stamp) => draft.under(storyId, stamp)).join()} ${storyId}`;
  const general = `${moved.map((stamp) => stamp.slice(0, stamp.indexOf(':'))).join()} ${storyId}`;
  const isGeneral = isUnheard(state, edit);
  const known = own.answers.get(exact) ?? (isGeneral ? own.answers.get(general) : undefined);
  if (known) return known;
  const made = answerOf(impactOfEdit(state, edit));
  if (own.bytes + made.byteLength > BYTES_KEPT) {
    own.answers.clear();
    own.bytes = 0;
  }
  // What had to be laid on the graph may be another for another text.
  own.answers.set(isGeneral && !draft.isLaid() ? general : exact, made);
  own.bytes += made.byteLength;
  kept.set(state, own);
  return made;
}
