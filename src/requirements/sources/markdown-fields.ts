// What Markdown says of an item besides its statement: lines such as `Status: draft` and labels such
// as `**Acceptance criteria**`.

import { withoutBreak } from './markdown-content.ts';
import type { SourceLink } from './model.ts';

export type Field =
  | { name: 'acceptance' | 'rationale' | 'status' | 'priority' | 'tags' | 'kind' }
  | { name: 'link'; type: SourceLink['type'] };

const LINKS: Record<SourceLink['type'], string> = {
  refines: 'refines?|parents?|covers',
  derives: 'derives?(?: from)?|derived from',
  depends: 'depends(?: on)?|depend on|dependenc(?:y|ies)|requires|blocked by',
  verifies: 'verifies|verify|validates',
  satisfies: 'satisf(?:ies|y)|implements|realizes',
  conflicts: 'conflicts(?: with)?|contradicts',
  relates: 'relates(?: to)?|related(?: to| requirements)?|traces to|references|see also',
};

const FIELDS: [RegExp, Field][] = [
  [/^(?:acceptance(?: criteria| criterion| scenarios?| tests?)?|ac)$/i, { name: 'acceptance' }],
  [/^rationale$/i, { name: 'rationale' }],
  [/^status$/i, { name: 'status' }],
  [/^priority$/i, { name: 'priority' }],
  [/^(?:tags?|labels?)$/i, { name: 'tags' }],
  [/^(?:kind|type)$/i, { name: 'kind' }],
  ...Object.entries(LINKS).map(([type, names]): [RegExp, Field] => [
    new RegExp(`^(?:${names})$`, 'i'),
    { name: 'link', type: type as SourceLink['type'] },
  ]),
];

/** The field that a label names, such as `Acceptance criteria` or `Depends on`. */
export function fieldNamed(label: string): Field | null {
  const name = label.replace(/\s+/g, ' ').trim();
  if (name.length > 40) return null;
  return FIELDS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

const LINE =
  /^(\*{1,3}|_{1,3})?([A-Za-z][A-Za-z ]{1,38}?)(?::(\*{1,3}|_{1,3})?|(\*{1,3}|_{1,3})\s?:)(?:\s+(.*)|)$/s;
const BOLD = /^(\*\*|__)([A-Za-z][A-Za-z ]{1,38}?):?\1$/;

/** A field and its value where a line is one: `Status: draft`, `**Tags:** a, b`, `**Rationale**`. */
export function fieldLine(line: string): { field: Field; label: string; value: string } | null {
  const whole = line.trimStart();
  const text = withoutBreak(whole);
  const bold = BOLD.exec(text);
  const match = bold ? null : LINE.exec(text);
  const label = bold?.[2] ?? match?.[2];
  if (label === undefined) return dressedLine(text);
  if (match && (match[1] ?? '') !== (match[3] ?? match[4] ?? '')) return null;
  const field = fieldNamed(label);
  const value = (match?.[5] ?? '').trim();
  // A break of the value may be one within a text.
  return field && { field, label: label.trim(), value: value && value + whole.slice(text.length) };
}

/** A heading's text as a field: with or without a colon. */
export function fieldHeading(text: string): Field | null {
  const name = text.replace(/[*_:]/g, '');
  return fieldNamed(name) ?? dressedField(name);
}

/** A number or symbols before a name, and a remark in parentheses after it. */
const DRESSED = /^[^\p{L}(]*(\p{L}[\p{L} ]*)(?:\([^()]*\))?[^\p{L}\p{N}()]*$/u;
const DRESSED_LINE = /^([^:]{1,120}):(\*{1,3}|_{1,3})?(?:\s+(.*)|)$/s;
const DRESSED_BOLD = /^(\*\*|__)([^:*_]{1,120}):?\1$/;

/** The criteria that a name with a number, symbols or a remark around it is of; other fields have none. */
function dressedField(name: string): Field | null {
  const [, inner = ''] = (name.length > 120 ? null : DRESSED.exec(name)) ?? [];
  const field = fieldNamed(inner);
  return field?.name === 'acceptance' && /\s/.test(inner.trim()) ? field : null;
}

/** The criteria that a line with such a name begins: `**Acceptance criteria (draft):** a`. */
function dressedLine(text: string): ReturnType<typeof fieldLine> {
  const bold = DRESSED_BOLD.exec(text);
  const [, before = '', after = '', value = ''] = (bold ? null : DRESSED_LINE.exec(text)) ?? [];
  // The mark that a label begins with ends it.
  const marks = bold ? [] : [...before.matchAll(/[*_]+/g), [after]].map(([mark = '']) => mark);
  const [open = '', close = ''] = marks.filter((mark) => mark !== '');
  if (open !== close) return null;
  const label = (bold?.[2] ?? before.replace(/[*_]/g, '')).trim();
  const field = dressedField(label);
  return field && { field, label, value: value.trim() };
}

/**
 * The criteria that a line right before a list begins: there it needs neither a colon nor a mark, and
 * is no sentence of its own.
 */
export function criteriaLabel(line: string): ReturnType<typeof fieldLine> {
  const field = fieldHeading(line);
  return field?.name === 'acceptance' ? { field, label: line.trim(), value: '' } : null;
}
