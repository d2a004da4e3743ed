// Cuts the bytes of a text report into lines as they come; a line has a limit, whatever comes.
import type { Problems } from './problems.ts';

export interface LineInput {
  write(chunk: Uint8Array): void;
  /** Takes the last line; gives whether it ended as lines do. */
  end(): boolean;
}

/** What is longer is cut: no line of a report needs it. */
const LINE = 64 * 1024;

/** Hands out each line without its end, with its number from 1. */
export function createLineInput(
  take: (line: string, number: number) => void,
  problems: Problems,
): LineInput {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  let undecodable = false;

  return {
    write: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => {
      feed(decoder.decode());
      const ended = rest === '';
      if (!ended) hand(rest);
      rest = '';
      return ended;
    },
  };

  function feed(text: string): void {
    if (!undecodable && text.includes('\uFFFD')) {
      undecodable = true;
      problems.warning('undecodable', 'bytes that are not text in UTF-8');
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      hand(rest + text.slice(start, end));
      rest = '';
      start = end + 1;
    }
    if (rest.length <= LINE) rest += text.slice(start, start + LINE + 1);
  }

  function hand(line: string): void {
    number += 1;
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    take(whole.length > LINE ? whole.slice(0, LINE) : whole, number);
  }
}
