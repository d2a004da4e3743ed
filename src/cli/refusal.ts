// What a refusal says to a person who has asked by a command.
import type { Problem } from '../errors.ts';

const LINES_MOST = 20;
const LINE_CHARACTERS_MOST = 300;

/**
 * The sentence of a refusal, and a line for each of its errors that the sentence does not name. Which
 * field an error is at is told where they are at several.
 */
export function refusalText({ message, errors }: Pick<Problem, 'message' | 'errors'>): string {
  const several = new Set(errors.map(({ pointer }) => pointer)).size > 1;
  const lines = errors
    .filter(({ detail }) => !message.includes(detail))
    .map(({ pointer, detail }) => onOneLine(several ? `${pointer}: ${detail}` : detail));
  const more = lines.length > LINES_MOST ? ['and more'] : [];
  return [message, ...lines.slice(0, LINES_MOST), ...more].join('\n  ');
}

/** Texts of files are among them: what moves a terminal's cursor is no text. */
function onOneLine(text: string): string {
  const plain = text.replace(/[\s\p{Cc}]+/gu, ' ');
  return plain.length > LINE_CHARACTERS_MOST ? `${plain.slice(0, LINE_CHARACTERS_MOST)}…` : plain;
}
