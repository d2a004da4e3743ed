// The lines of a paragraph of a Markdown file: fields and text (M7, M9).
import type { Block } from './blocks.ts';
import { type FieldLine, fieldHeading, fieldLine } from './grammar.ts';
import { addText, type Draft, setField } from './item.ts';

/** Fields stand in items, and below none of their other headings. */
export function mayHaveFields({ isItem, textBelow, label }: Draft): boolean {
  return isItem && textBelow === 0 && label === null;
}

/** The lines of a text before the first that is a field. */
export function linesBeforeFields(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line, at) => at > 0 && fieldLine(line) !== null);
  return end < 0 ? lines : lines.slice(0, end);
}

/** Whether an entry of a list begins with a field. */
export function isFieldEntry({ blocks: [first, next] }: Block): boolean {
  if (first?.type !== 'paragraph') return false;
  const [line = '', ...others] = first.text.split('\n');
  return fieldBefore(line, others.length === 0 ? next : undefined) !== null;
}

/** The field of a line; right before a list, criteria need neither a colon nor marks. */
function fieldBefore(line: string, next: Block | undefined): FieldLine | null {
  const found = fieldLine(line);
  if (found !== null || next?.type !== 'list') return found;
  const field = fieldHeading(line);
  return field?.name === 'acceptance' ? { field, label: line.trim(), value: '' } : null;
}

/** Whether a block can be the value of a label before it. */
function takesNext(next: Block | undefined): boolean {
  if (next?.type === 'list') return true;
  return next?.type === 'paragraph' && fieldLine(next.text.split('\n', 1)[0] ?? '') === null;
}

/**
 * Reads the lines of a paragraph into an item. A label at its end is left open where the block after
 * it can be its value.
 *
 * @param from - the line of the first
 * @param next - the block after the paragraph
 */
export function readLines(
  lines: readonly string[],
  from: number,
  owner: Draft,
  next: Block | undefined,
): void {
  const outer = owner.label?.depth ? owner.label : null;
  const takesFields = outer === null && owner.isItem && owner.textBelow === 0;
  let { label } = owner;
  owner.label = outer;
  let [text, start]: [string[], number] = [[], 0];
  const flush = () => {
    const said = text.join('\n').trim();
    text = [];
    if (said === '') return;
    if (!label || !setField(owner, label, said, from + start)) addText(owner, said, from + start);
    label = outer;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const below = at === lines.length - 1 ? next : undefined;
    const found = takesFields ? fieldBefore(line, below) : null;
    if (!found) {
      if (text.length === 0) start = at;
      text.push(line);
      continue;
    }
    flush();
    start = at;
    const { field, value } = found;
    label = { field, name: found.label, depth: 0 };
    if (value === '') {
      if (at < lines.length - 1) continue;
      if (takesNext(next)) owner.label = label;
      else addText(owner, line, from + at);
      return;
    }
    if (field.name === 'acceptance' || field.name === 'rationale') text.push(value);
    else {
      const values = [value];
      // A list of values goes on after a comma.
      while (values.at(-1)?.endsWith(',') && at < lines.length - 1)
        values.push((lines[++at] ?? '').trim());
      if (!setField(owner, label, values.join('\n'), from + start)) text.push(line);
      label = null;
    }
  }
  flush();
}
