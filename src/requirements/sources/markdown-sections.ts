// The headings that are open at a place of a Markdown text: the document, its sections, its items.
import { type Draft, newDraft } from './markdown-draft.ts';

export interface Sections {
  /** Whether the document has its title: else the first heading of the first level is it. */
  titled: boolean;
  /** The innermost that is open. */
  top(): Draft;
  open(draft: Draft): void;
  /** Closes all that a heading of a depth ends, the innermost first. */
  closeTo(depth: number): Draft[];
  closeAll(): Draft[];
  /** Opens a section; null where the heading is the title of the document. */
  section(title: string, depth: number, path: string, line: number): Draft | null;
}

/** The headings of a document, of which none is open yet. */
export function openSections(document: Draft): Sections {
  const stack: Draft[] = [];
  const slugs = new Map<string, number>();
  const top = () => stack.at(-1) ?? document;
  let first = true;
  const sections: Sections = {
    titled: false,
    top,
    open(draft) {
      first = false;
      stack.push(draft);
    },
    closeTo(depth) {
      const closed: Draft[] = [];
      while ((stack.at(-1)?.depth ?? -1) >= depth) closed.push(...stack.splice(-1));
      return closed;
    },
    closeAll: () => [...stack.splice(0).reverse(), document],
    section(title, depth, path, line) {
      const isTitle = first && depth === 1 && (!sections.titled || title === document.item.title);
      first = false;
      if (isTitle && title !== '') {
        document.item.title = title;
        return null;
      }
      const id = `${path}#${uniqueSlug(title, slugs)}`;
      const draft = newDraft(
        { id, kind: 'section', title, path, line, parentId: top().item.id },
        { isItem: false, inList: false, depth },
      );
      stack.push(draft);
      return draft;
    },
  };
  return sections;
}

/** A slug that none of those before has: the second of a title ends in `-2`. */
export function uniqueSlug(title: string, slugs: Map<string, number>): string {
  const slug = slugOf(title);
  let count = slugs.get(slug) ?? 0;
  let unique = slug;
  do {
    count++;
    unique = count === 1 ? slug : `${slug}-${count}`;
  } while (count > 1 && slugs.has(unique));
  slugs.set(slug, count);
  if (unique !== slug) slugs.set(unique, 1);
  return unique;
}

/** A title as the end of an address: letters and digits, joined by hyphens. */
export function slugOf(title: string): string {
  return title
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(' ', '-');
}
