// The impacts of edits that somebody is about to make. They are asked for again and again while the
// edit is written, and what a much used story reaches is long.
import { type Impact, impactOf } from './impact.ts';
import type { AssuranceState } from './state.ts';

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

/** The same for a change of one story's content; made once for as long as nothing changes. */
export function keptAnswer(state: AssuranceState, storyId: string): Uint8Array<ArrayBuffer> {
  const own = kept.get(state) ?? { answers: new Map(), bytes: 0 };
  const known = own.answers.get(storyId);
  if (known) return known;
  const made = answerOf(impactOf(state, [storyId]));
  if (own.bytes + made.byteLength > BYTES_KEPT) {
    own.answers.clear();
    own.bytes = 0;
  }
  own.answers.set(storyId, made);
  own.bytes += made.byteLength;
  kept.set(state, own);
  return made;
}
