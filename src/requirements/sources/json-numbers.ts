// Numbers in a JSON text that JSON.parse would round, or make infinite, without a word.
import { exactNumber } from './exact-number.ts';
import { stringEnd } from './json-text.ts';

/** Only a number of 16 digits, or with an exponent of three, can be another than it says. */
const LONG = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/** Whether a JSON text may hold a number that is rounded; it may stand in a string too. */
export function mayRound(text: string): boolean {
  return LONG.test(text);
}

/** A JSON text with each number that would be rounded as a string of its digits. */
export function withExactNumbers(text: string): string {
  if (!mayRound(text)) return text;
  let exact = '';
  let written = 0;
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '"') {
      at = stringEnd(text, at);
    } else if (char === '-' || isDigit(char)) {
      const start = at;
      while (isOfNumber(text[at] ?? '')) at += 1;
      const said = text.slice(start, at);
      if (exactNumber(said) !== undefined) continue;
      exact += `${text.slice(written, start)}"${said}"`;
      written = at;
    } else {
      at += 1;
    }
  }
  return exact + text.slice(written);
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isOfNumber(char: string): boolean {
  return isDigit(char) || (char !== '' && '+-.eE'.includes(char));
}
