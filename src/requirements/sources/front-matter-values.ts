// Which values of front matter stay the text that is written: those with a tag of which plain JSON
// knows nothing, numbers that JSON writes in another way, and all where a text is read.
import {
  type Document,
  isPair,
  isScalar,
  type Node,
  type Pair,
  type ParsedNode,
  visit,
} from 'yaml';
import { fieldNamed } from './markdown-fields.ts';

/** The tags of YAML's core schema; `!` says that a value is of no special type. */
const CORE = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
).add('!');

/** A value that is kept as its text since its tag is not known. */
export interface TaggedValue {
  /** The keys and places that it stands at, from the outermost: `defaults.tags`. */
  key: string;
  offset: number;
  text: string;
}

/** The field of an item that a key of front matter names. */
export function fieldOfKey(key: string): ReturnType<typeof fieldNamed> {
  return fieldNamed(key.replace(/[_-]/g, ' '));
}

/** Whether a tag is one of YAML's core schema, or there is none. */
export function isCoreTag(tag: string | undefined): boolean {
  return tag === undefined || CORE.has(tag);
}

/**
 * Makes values of a document the texts that they are written as, where anything else would say less.
 *
 * @param tags - the offsets of the tags in the text
 * @returns the values with tags that are not known
 */
export function keepAsWritten(
  document: Document.Parsed,
  text: string,
  tags: readonly number[],
): TaggedValue[] {
  const tagged: TaggedValue[] = [];
  visit(document, {
    Node(place, node, path) {
      if (path.length < 2 || place === 'key') return undefined;
      const own = node as ParsedNode;
      if (!isCoreTag(own.tag)) {
        const offset = lastBefore(tags, own.range[0]);
        const written = text.slice(offset, own.range[1]).trim();
        const names = namesOn(path);
        // A text with commas would be several tags.
        const isTags =
          names.length === (names[0] === 'defaults' ? 2 : 1) && names.at(-1) === 'tags';
        tagged.push({ key: names.join('.'), offset, text: written });
        keepText(own, isTags ? [written] : written);
        return visit.SKIP;
      }
      if (!isScalar(own)) return undefined;
      const { value, source } = own;
      const isNumber = typeof value === 'number';
      if (!source || (!isNumber && typeof value !== 'boolean')) return undefined;
      const saysLess = isNumber && JSON.stringify(value) !== source;
      if (saysLess || inTextField(path)) keepText(own, source);
      return undefined;
    },
  });
  return tagged;
}

/** Makes a node the value of a text, whatever refers to it or to what is in it. */
function keepText(node: Node, value: string | string[]): void {
  node.toJSON = () => value;
}

/** Whether a place is that of a value which is read as text: of an item's field, or its default. */
function inTextField(path: readonly unknown[]): boolean {
  const [first, second] = path.filter(isPair).map(nameOf);
  const key = first === 'defaults' ? second : first;
  return key !== undefined && (key === 'id' || key === 'title' || fieldOfKey(key) !== null);
}

function namesOn(path: readonly unknown[]): string[] {
  return path.filter(isPair).map(nameOf);
}

/** The beginning of a key: no field has a name that is longer. */
function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key).slice(0, 100);
}

/** The last of ascending numbers that is no greater than a limit; the limit where none is. */
function lastBefore(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1] ?? limit;
}
