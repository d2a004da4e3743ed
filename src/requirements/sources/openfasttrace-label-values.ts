// What stands behind a label of OpenFastTrace, where it may be a field or a sentence: whether it is
// what such a field has.
import { idWithin } from './openfasttrace-patterns.ts';

const BULLET = /^\s*[-*+]\s+/;
const STATUS = /^(?:approved|proposed|draft|rejected)$/i;

/**
 * Whether the value of a label is that of a field; of a text it is never known.
 *
 * @param number - the line of the label, from 1: an empty value is the first entry of the list below it
 */
export function isFieldValue(
  label: string,
  value: string,
  lines: readonly string[],
  number: number,
): boolean {
  const said = value === '' ? entryBelow(lines, number) : value;
  switch (label) {
    case 'Covers':
    case 'Depends':
      return idWithin(said) !== null;
    case 'Needs':
    case 'Tags':
      return areWords(said);
    case 'Status':
      return STATUS.test(value);
    default:
      return false;
  }
}

/** The first entry of a list below a line; empty where something else stands there. */
function entryBelow(lines: readonly string[], number: number): string {
  let at = number;
  while (lines[at]?.trim() === '') at++;
  const next = lines[at] ?? '';
  return BULLET.test(next) ? next.replace(BULLET, '') : '';
}

/** Whether a text is kinds of artifacts or tags, each one word. */
function areWords(value: string): boolean {
  const parts = value.split(',').map((part) => part.trim());
  return parts.every((part) => (part.match(/[\p{L}\p{N}_-]+/gu) ?? []).length === 1);
}
