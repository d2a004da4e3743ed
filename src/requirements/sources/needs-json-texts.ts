// The texts and lists of a need in a needs.json, as an item has them.
import { attributeValue, textValue } from './front-matter.ts';
import { isEmpty } from './needs-json-fields.ts';

/** A text without the blank lines around it: the indent of its first line is part of it. */
export function withoutBlankEnds(text: string): string {
  const length = text.trimEnd().length;
  if (length === 0) return '';
  const after = text.slice(length).search(/[\r\n]/);
  const body = after < 0 ? text : text.slice(0, length + after);
  const first = body.length - body.trimStart().length;
  return body.slice(body.slice(0, first).lastIndexOf('\n') + 1);
}

/** The tags of a need, as a list or as a text with commas; each as often as it stands there. */
export function tagsOf(value: unknown): string[] {
  const tags: unknown[] = Array.isArray(value) ? value : (textValue(value)?.split(',') ?? []);
  return tags.flatMap((tag) => textValue(tag) ?? []);
}

/** The acceptance criteria of a need: the entries of a list that say something. */
export function criteriaOf(list: readonly unknown[]): string[] {
  return list.flatMap((one) => {
    if (isEmpty(one)) return [];
    const value = attributeValue(one);
    return Array.isArray(value) ? JSON.stringify(value) : String(value);
  });
}

/** Criteria that stand in one text, one a line. */
export function criteriaIn(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
