// Footnotes of a Markdown source: each is a part of the text of what refers to it, wherever in the file
// it stands.
import type { Block, PlacedText } from './markdown-blocks.ts';
import { labelKey } from './markdown-definitions.ts';
import { addText, type Draft, mention } from './markdown-draft.ts';
import type { FileNotes } from './source-result.ts';

/** A footnote, and where it stands. */
interface Footnote {
  key: string;
  text: PlacedText;
  owner: Draft;
  /** How many texts of the statement stand before it. */
  at: number;
}

/** The footnotes of a file. */
export interface Footnotes {
  /** Takes a paragraph that begins with a footnote; each line that begins with one is another. */
  add(paragraph: PlacedText, owner: Draft): void;
  /** Takes a block where it is a further paragraph of the footnote right before it. */
  goesOn(block: Block): boolean;
  /** Says that what follows is no part of a footnote before it. */
  end(): void;
  /** Gives each footnote to the drafts that refer to it; one that none refers to stays where it stands. */
  place(drafts: readonly Draft[], notes: FileNotes): void;
}

const START = /^ {0,3}\[\^([^\]\s]+)\]:/;
const REFERENCE = /\\[\s\S]|\[\^([^\]\s]+)\]/g;
/** Characters of footnotes that are given to more than the first that refers to them. */
const MOST_COPIED = 1024 * 1024;
/** How often a footnote is followed to one that it refers to itself. */
const MOST_STEPS = 100_000;

/** The footnotes of a file of which none is read yet. */
export function noFootnotes(): Footnotes {
  const all: Footnote[] = [];
  let open: Footnote | null = null;
  return {
    add({ raw, lines }, owner) {
      const texts = raw.split('\n');
      const starts = texts.flatMap((text, at) => (START.test(text) ? [at] : []));
      for (const [place, from] of starts.entries()) {
        const to = starts[place + 1] ?? texts.length;
        const text = { raw: texts.slice(from, to).join('\n'), lines: lines.slice(from, to) };
        const key = labelKey(START.exec(text.raw)?.[1] ?? '');
        open = { key, text, owner, at: owner.statement.length };
        all.push(open);
      }
    },
    goesOn(block) {
      const isPart = open !== null && block.type === 'code' && /^(?: {4}|\t)/.test(block.raw);
      if (open === null || !isPart) {
        open = null;
        return false;
      }
      const { text } = open;
      open.text = {
        raw: `${text.raw}\n\n${block.raw}`,
        lines: [...text.lines, (block.lines[0] ?? 1) - 1, ...block.lines],
      };
      return true;
    },
    end() {
      open = null;
    },
    place(drafts, notes) {
      if (all.length > 0) placeAll(all, drafts, notes);
    },
  };
}

function placeAll(all: readonly Footnote[], drafts: readonly Draft[], notes: FileNotes): void {
  // Of several with a label, the first is used.
  const byKey = new Map<string, Footnote>();
  for (const one of all) if (!byKey.has(one.key)) byKey.set(one.key, one);
  const inner = new Map([...byKey.values()].map((one) => [one, usedIn(one.text.raw, byKey)]));
  const used = new Set<Footnote>();
  const own = new Set<Footnote>();
  const left: Draft[] = [];
  let copied = 0;
  let steps = 0;
  for (const draft of drafts) {
    const found = new Set(textsOf(draft).flatMap((text) => [...usedIn(text, byKey)]));
    let isLeft = false;
    for (const one of found) {
      for (const further of inner.get(one) ?? []) {
        if (++steps <= MOST_STEPS) found.add(further);
        else isLeft ||= !found.has(further);
      }
      const isFirst = !used.has(one);
      const { length } = one.text.raw;
      used.add(one);
      if (one.owner === draft && one.at < draft.statement.length) own.add(one);
      else if (isFirst || copied + length <= MOST_COPIED) {
        if (!isFirst) copied += length;
        draft.footnotes.push(one.text);
      } else isLeft = true;
    }
    if (isLeft) left.push(draft);
  }
  putBack(all.filter((one) => own.has(one) || !used.has(one)));
  for (const draft of drafts) for (const text of draft.footnotes) mention(draft, text);
  const [first] = left;
  if (!first) return;
  const { item, isItem } = first;
  const detail = `Footnotes that many texts refer to would make too much text: ${left.length} of these, the first on line ${item.line}, are left without some. The first that refers to a footnote has it.`;
  notes.lose('too_much', item.line, detail, { itemId: isItem ? item.id : null });
}

/** The texts of a draft that may refer to footnotes. */
function textsOf({ item, statement, rationale, said, references }: Draft): string[] {
  const values = references.map(({ value }) => value.raw);
  return [item.title, ...statement, ...rationale, ...item.acceptance, ...said, ...values];
}

function usedIn(text: string, byKey: ReadonlyMap<string, Footnote>): Set<Footnote> {
  const found = new Set<Footnote>();
  if (!text.includes('[^')) return found;
  for (const [, label] of text.matchAll(REFERENCE)) {
    const footnote = label === undefined ? undefined : byKey.get(labelKey(label));
    if (footnote) found.add(footnote);
  }
  return found;
}

/** Puts footnotes into the statements in which they stand, in their order. */
function putBack(footnotes: readonly Footnote[]): void {
  for (const [owner, own] of Map.groupBy(footnotes, (one) => one.owner)) {
    const texts = owner.statement.splice(0);
    let next = 0;
    for (let at = 0; at <= texts.length; at++) {
      for (let one = own[next]; one && one.at <= at; one = own[++next]) addText(owner, one.text);
      const text = texts[at];
      if (text !== undefined) owner.statement.push(text);
    }
  }
}

/** Ends the statement with the footnotes that a text refers to; what states nothing has them apart. */
export function keepFootnotes({ item, footnotes, said }: Draft): void {
  if (footnotes.length === 0) return;
  const text = footnotes.map(({ raw }) => raw).join('\n\n');
  if (item.statement !== '') {
    item.statement = `${item.statement}\n\n${text}`;
    return;
  }
  // A file may have a field of that name.
  const name = item.attributes.footnotes === undefined ? 'footnotes' : 'texts of footnotes';
  item.attributes = { ...item.attributes, [name]: text };
  said.push(text);
}
