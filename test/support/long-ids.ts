// Ids of stories that are as long as a source may give them.
import { MAX_ID_LENGTH } from '../../src/limits.ts';

/** Of words, with what addresses, lists, HTML and tables take for their own. */
export const WORDY = filled('Ä/ö %2F?a=b&c+d #1 "<b>", 🚀; {x}: \'`|\\ =');
/** Of one word, as a tag can be, of characters that are long in addresses. */
export const ONE_WORD = filled('仕様/🚀');

/** A text over and over, to the last character that an id may have. */
function filled(text: string): string {
  const id = text.repeat(MAX_ID_LENGTH).slice(0, MAX_ID_LENGTH - 1);
  // Where it ends inside of a character, that one is left out.
  const whole = id.isWellFormed() ? id : id.slice(0, -1);
  return whole.padEnd(MAX_ID_LENGTH, '$');
}

/** A graph of our own of stories that say what they must. */
export const storiesOf = (...ids: string[]) =>
  JSON.stringify({
    ...{ format: 'pqrs-srs', version: 1, edges: [] },
    nodes: ids.map((id, at) => ({
      ...{ id, kind: 'story', title: `Story ${at}`, statement: `As a user I see ${at}.` },
      acceptance: [`It shows ${at}`],
    })),
  });
