// Whether the front matter of a Markdown file says that the file is one item: by the kind that it names
// and by the key that its id has. Where it almost does, what is missing is told.
import { type FrontMatter, textValue } from './front-matter.ts';
import { looksLikeId } from './item-ids.ts';
import { kindNamed } from './markdown-draft.ts';
import type { NodeKind } from './model.ts';
import type { FileNotes } from './source-result.ts';

/** Keys that people write for `id`. */
const OTHER_ID = /^(?:u?id|identifier)$/i;
/** What a file with an id of its own may be, besides an item; more words may stand before it. */
const DOCUMENT_TYPE = new RegExp(
  `(?:^|[\\s_/-])(?:${[
    ...['doc(?:ument(?:ation)?)?', 'spec(?:ification)?', 'srs', 'prd', 'rfc', 'adr', 'decision'],
    ...['notes?', 'page', 'post', 'article', 'chapter', 'section', 'index', 'overview', 'list'],
    ...['guide', 'manual', 'tutorial', 'report', 'readme', 'plan', 'template', 'policy', 'review'],
    ...['module', 'component', 'glossary', 'term', 'concept', 'change ?log', 'release', 'meeting'],
    ...['test', 'test[ _-]?case', 'bug', 'issue', 'task'],
  ].join('|')})s?$`,
  'i',
);

/** The kind that front matter, or the defaults in it, names. */
export function kindOf({ kind }: Readonly<Record<string, unknown>>): NodeKind | null {
  return kindNamed(textValue(kind) ?? '');
}

/** A value as a finding names it. */
export function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 200);
  } catch {
    return String(value).slice(0, 200);
  }
}

/**
 * Front matter whose id is under `id`: where there is none and it names the kind of an item, that of
 * another usual key for one is taken.
 */
export function withId(front: FrontMatter): FrontMatter {
  const { values, keyLines } = front;
  const key = otherIdKey(values);
  if (key === null || (kindNamed(textValue(values.type) ?? '') ?? kindOf(values)) === null) {
    return front;
  }
  const { [key]: id, ...others } = values;
  const line = keyLines.get(key) ?? 1;
  return { ...front, values: { ...others, id }, keyLines: new Map([...keyLines, ['id', line]]) };
}

/** The key of an id other than `id`, where that has none. */
function otherIdKey(values: FrontMatter['values']): string | null {
  if ((values.id ?? null) !== null) return null;
  const keys = Object.keys(values).filter((key) => key !== 'id' && OTHER_ID.test(key));
  return keys.find((key) => looksLikeId(textValue(values[key]) ?? '')) ?? null;
}

/**
 * Tells of a file without items whose front matter has the id of one what would make one of it, unless
 * it names what else the file is.
 *
 * @param documentId - the id that the document has
 */
export function tellNoItem(front: FrontMatter, documentId: string, notes: FileNotes): void {
  const { values, keyLines } = front;
  const types = [values.kind, values.type].flatMap((one) => textValue(one) ?? []);
  if (types.some((one) => kindNamed(one) !== null || DOCUMENT_TYPE.test(one))) return;
  const key = otherIdKey(values) ?? 'id';
  const id = textValue(values[key]) ?? '';
  if (!looksLikeId(id)) return;
  const named = types.map(shown).join(' and ');
  const unknown = named && `, and ${named} is no kind of item`;
  const says = `\`kind: requirement\` or \`kind: story\` in the front matter would make`;
  const detail =
    key === 'id'
      ? `${shown(id)} is the id of the document, in which nothing begins an item${unknown}; ${says} one of it.`
      : `${shown(id)} is under \`${key}\` and nothing in the document begins an item${unknown}; \`id\` in place of that, and ${says} one of it.`;
  notes.note('missing_field', keyLines.get(key) ?? 1, detail, { itemId: documentId });
}
