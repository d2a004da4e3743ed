// The text of a source file: bytes as characters, and the line of a place in them.
import { isUtf8 } from 'node:buffer';

/** A text, and where it could not be kept: the first line with bytes that are no characters. */
export interface SourceText {
  text: string;
  /** From 1; null where every byte was read. */
  damagedLine: number | null;
}

/**
 * Decodes a file: UTF-8, or UTF-16 where a byte order mark says so. Bytes that are no characters
 * become U+FFFD and are reported; the mark itself is left out.
 */
export function decodeSource(bytes: Uint8Array): SourceText {
  const encoding = encodingOf(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return { text, damagedLine: null };
  } catch {
    const text = new TextDecoder(encoding).decode(bytes);
    const at = text.indexOf('\uFFFD');
    return { text, damagedLine: lineAt(lineStarts(text), Math.max(at, 0)) };
  }
}

/** The line of the first byte that is part of no text: NUL, or none of the encoding; null in a text. */
export function binaryLine(bytes: Uint8Array): number | null {
  if (isUtf8(bytes) && !bytes.includes(0)) return null;
  const { text, damagedLine } = decodeSource(bytes);
  const nul = text.indexOf('\0');
  return damagedLine ?? (nul < 0 ? null : lineAt(lineStarts(text), nul));
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** The offset at which each line of a text starts; lines end with LF, CRLF or CR. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  return starts;
}

/** The line, from 1, of an offset, given the starts of the lines. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** The longest title that is made of a text. */
export const MAX_TITLE = 120;

/** A line as a title: without the marks of a heading or of bold text, and not too long. */
export function titleFrom(line: string): string {
  const words = line.trim().replace(/^#{1,6}\s+/, '');
  const title = /^\*\*(?=[^\s*])(.*[^\s*])\*\*$/.exec(words)?.[1] ?? words;
  if (title.length <= MAX_TITLE) return title;
  const cut = title.lastIndexOf(' ', MAX_TITLE);
  return `${title.slice(0, cut > 0 ? cut : MAX_TITLE)}…`;
}
