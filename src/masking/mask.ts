// Takes secrets out of what is submitted: each is replaced by `***`, in texts and in streams of
// bytes, over the borders of their chunks.
import { formsOf, MIN_MASKED, maskedTexts } from './forms.ts';

export interface Mask {
  /** A text without the secrets. */
  text(text: string): string;
  /** The bytes of a text in UTF-8, or of anything else, without the secrets. */
  chunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
}

const INSTEAD = '***';
/** Less waits for more, so that small chunks cost no more than large ones. */
const MIN_SEARCHED_BYTES = 65_536;

/**
 * Makes a mask of some secrets. Each is found as it is and in the encodings that are usual in reports, as a whole in one of
 * them; of one with several lines every long one by itself. The longest is replaced first. Secrets of fewer than 6
 * characters are not masked.
 * @returns undefined where there is nothing to mask
 */
export function createMask(values: readonly string[]): Mask | undefined {
  const forms = [...new Set(values.flatMap(maskedTexts).flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  const inTexts = createReplacer(forms);
  // A byte as a character: one way of looking does for both.
  const inBytes = createReplacer(forms.map((form) => Buffer.from(form).toString('latin1')));
  return {
    text: (text) => inTexts.replace(text, text.length).done,
    async *chunks(bytes) {
      const least = Math.max(MIN_SEARCHED_BYTES, 2 * inBytes.longest);
      let waiting: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of bytes) {
        waiting.push(chunk);
        size += chunk.byteLength;
        if (size < least) continue;
        const text = Buffer.concat(waiting).toString('latin1');
        // Where a secret may begin that ends in the next chunk, nothing is said yet.
        const { done, rest } = inBytes.replace(text, text.length - inBytes.longest + 1);
        waiting = [Buffer.from(rest, 'latin1')];
        size = rest.length;
        if (done !== '') yield Buffer.from(done, 'latin1');
      }
      const last = Buffer.concat(waiting).toString('latin1');
      const { done } = inBytes.replace(last, last.length);
      if (done !== '') yield Buffer.from(done, 'latin1');
    },
  };
}

interface Replacer {
  /** Of the longest form. */
  longest: number;
  /** Replaces what begins before `until`; the rest is what begins there, or behind a form over it. */
  replace(text: string, until: number): { done: string; rest: string };
}

function createReplacer(forms: readonly string[]): Replacer {
  const sorted = forms.toSorted((a, b) => b.length - a.length);
  const byStart = Map.groupBy(sorted, (form) => startAt(form, 0));
  const starts = new Uint8Array(65_536);
  for (const start of byStart.keys()) starts[start] = 1;
  const least = sorted.at(-1)?.length ?? MIN_MASKED;
  const formAt = (text: string, at: number) =>
    byStart.get(startAt(text, at))?.find((one) => text.startsWith(one, at));

  return {
    longest: sorted[0]?.length ?? 0,
    replace(text, until) {
      const last = Math.min(until, text.length - least + 1);
      let done = '';
      let from = 0;
      for (let at = 0; at < last; at += 1) {
        if (starts[startAt(text, at)] !== 1) continue;
        const form = formAt(text, at);
        if (form === undefined) continue;
        done += text.slice(from, at) + INSTEAD;
        from = at + form.length;
        at = from - 1;
      }
      const border = Math.max(from, until);
      return { done: done + text.slice(from, border), rest: text.slice(border) };
    },
  };
}

function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) & 0xffff;
}
