// What Doorstop takes for true or false, whatever its type: the switches of items, and stamps, which
// may be true instead of a hash.
import { shownValue } from './doorstop-attributes.ts';
import type { Report } from './doorstop-document.ts';
import type { PyEntry, PyValue } from './doorstop-python.ts';

/** What a stamp says: the hash it holds, that it was confirmed by hand, or that there is none. */
export type Stamp = string | true | null;

/** The words that mean true to Doorstop; any other text means false. */
const TRUE_WORDS = new Set(['yes', 'true', 'enabled', '1']);
/** The words that mean false to people too. */
const FALSE_WORDS = new Set(['no', 'false', 'off', 'disabled', '0']);

function isTrueWord(text: string): boolean {
  return TRUE_WORDS.has(text.toLowerCase().trim());
}

/** Whether a value counts as true to Doorstop. */
function truth(value: PyValue): boolean {
  switch (value.kind) {
    case 'none':
      return false;
    case 'list':
      return value.items.length > 0;
    case 'map':
      return value.entries.size > 0;
    case 'str':
      return isTrueWord(value.text);
    case 'bool':
      return value.text === 'True';
    case 'int':
      return value.text !== '0';
    case 'float':
      return Number(value.text) !== 0;
    default:
      return true;
  }
}

/** Whether a value says true or false in a way that people and Doorstop read alike. */
function isPlainTruth(value: PyValue): boolean {
  if (value.kind === 'bool') return true;
  if (value.kind === 'int') return value.text === '0' || value.text === '1';
  if (value.kind !== 'str') return false;
  return isTrueWord(value.text) || FALSE_WORDS.has(value.text.toLowerCase().trim());
}

/**
 * Reads a switch of an item as Doorstop does, and reports a value that is no boolean.
 *
 * @param otherwise - what holds where the item does not name it
 */
export function readSwitch(
  name: string,
  entry: PyEntry | undefined,
  otherwise: boolean,
  report: Report,
): boolean {
  if (entry === undefined) return otherwise;
  const { value, line } = entry;
  const isTrue = truth(value);
  if (!isPlainTruth(value)) {
    const detail = `\`${name}\` is no boolean: as Doorstop reads it, ${shownValue(value)} is taken for ${isTrue}.`;
    report('invalid_value', 'warning', line, detail);
  }
  return isTrue;
}

/**
 * Reads a stamp as Doorstop does, and reports a value that can be none.
 *
 * @param what - what it is the stamp of, to begin a sentence with
 */
export function readStamp(what: string, entry: PyEntry | undefined, report: Report): Stamp {
  if (entry === undefined || entry.value.kind === 'none') return null;
  const { value, line } = entry;
  if (value.kind === 'str') return stampOfText(value.text);
  const isTrue = truth(value);
  if (!isPlainTruth(value)) {
    const taken = isTrue ? 'for one that was confirmed by hand' : 'for none';
    const detail = `${what} is no stamp: as Doorstop reads it, ${shownValue(value)} is taken ${taken}.`;
    report('invalid_value', 'warning', line, detail);
  }
  return isTrue ? true : null;
}

/** The stamp that a text holds. */
export function stampOfText(text: string): Stamp {
  if (isTrueWord(text)) return true;
  return text === '' ? null : text;
}
