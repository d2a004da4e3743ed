// What a Markdown file says of itself: its front matter (M13), and where its items belong (M14).
import { type Part, take, takeWhole } from '../account.ts';
import { attributeOf, type FrontMatter, textOfPart, wordsOf } from '../front-matter.ts';
import type { NodeKind } from '../model.ts';
import { fieldNamed } from './grammar.ts';
import { type Defaults, type Draft, kindNamed, setField } from './item.ts';

export interface FileFacts {
  /** What stands before the ids of the file, with a dot; empty without a scope. */
  prefix: string;
  /** Whether the file gives items: in a folder of specifications not all do. */
  givesItems: boolean;
  id: string | null;
  title: string | null;
  /** The kind of the one item that the file is. */
  kind: NodeKind | null;
  defaults: Defaults;
}

export function factsOf(path: string, { top }: FrontMatter): FileFacts {
  const [, folder, file = ''] = /(?:^|\/)specs\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const scope = textOfPart(take(top, 'scope')) ?? folder;
  const givesItems = folder === undefined || /^(?:spec|requirements)\.md$/i.test(file);
  const id = textOfPart(take(top, 'id'));
  const kind = takeKind(top);
  const own = take(top, 'defaults');
  return {
    prefix: scope === undefined ? '' : `${scope}.`,
    givesItems,
    id,
    title: textOfPart(take(top, 'title')),
    kind: id !== null && givesItems ? kind : null,
    defaults: {
      kind: takeKind(own) ?? (id === null ? kind : null),
      status: textOfPart(take(own, 'status')),
      priority: textOfPart(take(own, 'priority')),
      tags: textsOf(take(own, 'tags')).flatMap((text) => wordsOf(text ?? '')),
    },
  };
}

function takeKind(part: Part | undefined): NodeKind | null {
  const isKind = ({ name, text }: Part) => /^(?:kind|type)$/.test(name) && kindNamed(text) !== null;
  const found = part?.parts.find(isKind);
  return found ? kindNamed(takeWhole(found).text) : null;
}

function textsOf(part: Part | undefined): (string | null)[] {
  if (part?.kind !== 'list') return [textOfPart(part)];
  return takeWhole(part).parts.map(textOfPart);
}

export function describe({ top }: FrontMatter, draft: Draft): void {
  for (const part of top.parts) {
    if (part.kept || part.name in draft.item.attributes) continue;
    const field = fieldNamed(part.name.replace(/[_-]+/g, ' '));
    const texts = textsOf(part);
    // A document has no criteria, reasons and links.
    const isField = field && (draft.isItem || /^(?:status|priority|tags)$/.test(field));
    const label = field && { field, name: part.name, depth: 0 };
    const isSet = (text: string | null) =>
      text !== null && label !== null && setField(draft, label, text, part.line);
    if (isField && texts.map(isSet).every(Boolean)) takeWhole(part);
    else draft.item.attributes = { ...draft.item.attributes, [part.name]: attributeOf(part) };
  }
}
