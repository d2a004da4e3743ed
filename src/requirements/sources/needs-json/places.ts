// Where needs stand: in another need, else in a section or a page, else in the file. Pages and sections
// are known by their titles as written; their ids are made of the titles.
import { isDeepStrictEqual } from 'node:util';
import { slugOf, uniqueId, usableId } from '../item-ids.ts';
import type { SourceItem } from '../model.ts';
import type { Nest } from '../nesting.ts';
import { bareItem, type FileReport } from '../report.ts';
import type { Need, NeedsSet } from './item.ts';

export function placeNeeds(
  needs: readonly [need: Need, item: SourceItem][],
  document: SourceItem,
  set: NeedsSet,
  nest: Nest,
  report: FileReport,
): void {
  const { items } = set.result;
  const sections = new Sections(document, (section) => items.push(section));
  for (const [need, item] of needs) {
    const { id, line, page, titles, parent } = need;
    const around = parent === null ? undefined : set.needs.get(parent);
    if (parent !== null && around && nest(id, parent)) {
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
      if (page !== null) item.parentId = sections.at(page, titles.toReversed(), line).id;
    }
    items.push(item);
  }
}

interface Place {
  item: SourceItem;
  /** Its id, if no other section has titles that are as good as its own. */
  plain: string;
  inside: Map<string, Place>;
}

class Sections {
  private readonly document: SourceItem;
  private readonly add: (item: SourceItem) => void;
  private readonly pages = new Map<string, Place>();
  private readonly ids = new Map<string, number>();

  constructor(document: SourceItem, add: (item: SourceItem) => void) {
    this.document = document;
    this.add = add;
  }

  /** The innermost of a page and the sections in it, outermost first, which is made where it is not there. */
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
    const plain = around ? `${around.plain}/${slugOf(title)}` : `${this.document.path}#${title}`;
    const id = usableId(uniqueId(plain, this.ids));
    const parentId = around?.item.id ?? this.document.id;
    const item = bareItem({ id, kind, title, path: this.document.path, line, parentId });
    const place = { item, plain, inside: new Map() };
    places.set(title, place);
    this.add(item);
    return place;
  }
}
