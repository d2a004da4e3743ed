// Where needs stand: in another need, else in a section or a page, else in the file. Pages and sections
// are known by their titles as written; their ids are made of the titles.
import { isDeepStrictEqual } from 'node:util';
import type { SourceItem } from '../model.ts';
import type { Nesting } from '../nesting.ts';
import type { FileReport } from '../report.ts';
import { slugOf } from '../slugs.ts';
import { usableId } from '../usable-id.ts';
import type { Need, NeedsSet } from './item.ts';

/** Gives each need of a file its parent; pages and sections go to the result before what is in them. */
export function placeNeeds(
  needs: readonly [need: Need, item: SourceItem][],
  document: SourceItem,
  set: NeedsSet,
  nesting: Nesting,
  report: FileReport,
): void {
  const { items } = set.result;
  const sections = new Sections(document, (section) => items.push(section));
  const inSections: [item: SourceItem, section: SourceItem][] = [];
  for (const [need, item] of needs) {
    const { id, line, page, titles, parent } = need;
    const around = parent === null ? undefined : set.needs.get(parent);
    if (parent !== null && around && nesting.put(id, parent)) {
      item.parentId = parent;
      if (page !== null && page !== around.page) item.attributes.docname ??= page;
      if (titles.length > 0 && !isDeepStrictEqual(titles, around.titles))
        item.attributes.sections ??= [...titles];
    } else {
      item.parentId = document.id;
      if (parent !== null) {
        const why = around ? 'which it contains itself' : 'which is not there';
        const detail = `${id} is said to be in ${parent}, ${why}.`;
        report.report('invalid_link', line, detail, {
          itemId: id,
          relatedIds: [parent],
          isLoss: true,
        });
      }
      if (page !== null) inSections.push([item, sections.at(page, titles.toReversed(), line)]);
    }
    items.push(item);
  }
  sections.name();
  for (const [item, { id }] of inSections) item.parentId = id;
}

interface Place {
  item: SourceItem;
  /** Its id, if no other section has titles that are as good as its own. */
  plain: string;
  around: Place | null;
  inside: Map<string, Place>;
}

class Sections {
  private readonly document: SourceItem;
  private readonly add: (item: SourceItem) => void;
  private readonly pages = new Map<string, Place>();
  private readonly all: Place[] = [];

  constructor(document: SourceItem, add: (item: SourceItem) => void) {
    this.document = document;
    this.add = add;
  }

  /** The innermost of a page and the sections in it, outermost first; it has no id yet. */
  at(page: string, titles: readonly string[], line: number): SourceItem {
    let place = this.inner(null, page, line);
    for (const title of titles) place = this.inner(place, title, line);
    return place.item;
  }

  private inner(around: Place | null, title: string, line: number): Place {
    const places = around?.inside ?? this.pages;
    const known = places.get(title);
    if (known) return known;
    const kind = around ? 'section' : 'document';
    const item: SourceItem = { ...this.document, id: '', kind, title, line, attributes: {} };
    const plain = around ? `${around.plain}/${slugOf(title)}` : `${this.document.path}#${title}`;
    const place = { item, plain, around, inside: new Map() };
    places.set(title, place);
    this.all.push(place);
    this.add(item);
    return place;
  }

  /** Gives them their ids: of several that would have one all but the first have a number behind it. */
  name(): void {
    const firsts = new Map<string, Place>();
    for (const place of this.all) if (!firsts.has(place.plain)) firsts.set(place.plain, place);
    const numbers = new Map<string, number>();
    for (const place of this.all) {
      const { plain, item, around } = place;
      item.parentId = around?.item.id ?? this.document.id;
      let made = plain;
      let number = numbers.get(plain) ?? 1;
      if (firsts.get(plain) !== place) {
        do made = `${plain}-${++number}`;
        while (firsts.has(made));
        numbers.set(plain, number);
      }
      item.id = usableId(made);
    }
  }
}
