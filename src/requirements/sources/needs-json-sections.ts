// The pages and sections that needs say they stand in. They are told apart by their titles as written;
// their ids are made of the titles.

import type { SourceItem } from './model.ts';
import { bare } from './needs-json-reading.ts';
import { slugOf } from './slugs.ts';
import { usableId } from './usable-id.ts';

interface Place {
  item: SourceItem;
  /** Its id, if no other section has titles that are as good as its own. */
  plain: string;
  around: Place | null;
  inside: Map<string, Place>;
}

/** The pages and sections of a file. */
export interface Sections {
  /**
   * Takes the innermost of a page and the sections in it, which are made where they are new.
   *
   * @param titles - of the sections, the outermost first
   * @param line - of the need that is in it
   * @returns its item, which has no id yet
   */
  at(page: string, titles: readonly string[], line: number): SourceItem;
  /**
   * Gives all of them their ids: of several that would have one the first has it, the others have it
   * with a number that no other has.
   */
  name(): void;
}

/**
 * @param document - the item of the file, which the pages are in
 * @param add - takes the item of each as it is made, after the one that it is in
 */
export function openSections(document: SourceItem, add: (item: SourceItem) => void): Sections {
  const pages = new Map<string, Place>();
  const all: Place[] = [];

  function inner(around: Place | null, title: string, line: number): Place {
    const places = around?.inside ?? pages;
    const known = places.get(title);
    if (known) return known;
    const item: SourceItem = { ...bare('', document.path, line), title };
    item.kind = around ? 'section' : 'document';
    const plain = around ? `${around.plain}/${slugOf(title)}` : `${document.path}#${title}`;
    const place = { item, plain, around, inside: new Map() };
    places.set(title, place);
    all.push(place);
    add(item);
    return place;
  }

  return {
    at(page, titles, line) {
      let place = inner(null, page, line);
      for (const title of titles) place = inner(place, title, line);
      return place.item;
    },
    name() {
      const firsts = new Map<string, Place>();
      for (const place of all) if (!firsts.has(place.plain)) firsts.set(place.plain, place);
      const numbers = new Map<string, number>();
      for (const place of all) {
        const { plain, item, around } = place;
        item.parentId = around?.item.id ?? document.id;
        let made = plain;
        if (firsts.get(plain) !== place) {
          let number = numbers.get(plain) ?? 1;
          do {
            number += 1;
            made = `${plain}-${number}`;
          } while (firsts.has(made));
          numbers.set(plain, number);
        }
        item.id = usableId(made);
      }
    },
  };
}
