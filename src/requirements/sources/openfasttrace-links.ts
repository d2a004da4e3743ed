// The ids that an item of OpenFastTrace covers or depends on, as its lists name them: bare, in code,
// or as links whose addresses are the ids.
import type { SourceLink } from './model.ts';
import { type Draft, ofItem, type Reading, shortId } from './openfasttrace-model.ts';
import { findId, type ItemId, idText, idWithin } from './openfasttrace-patterns.ts';

/** Artifact types whose items show that what they cover holds. */
const TESTS = /test/i;
const CODE = /^impl$/i;
/** A link: its text, and its address with a title. */
const LINK = /\[([^[\]]*)\]\(([^()]*)\)/g;

/** What covering means for items of an artifact type: tests verify, code satisfies, and every other level refines. */
export function linkType(type: string): SourceLink['type'] {
  if (TESTS.test(type)) return 'verifies';
  return CODE.test(type) ? 'satisfies' : 'refines';
}

/** Adds the links to all ids that an entry of a list names, and tells what else it says. */
export function addLinks(
  text: string,
  line: number,
  draft: Draft,
  reading: Reading,
  label: 'Covers' | 'Depends',
): void {
  const { item, type, shown } = draft;
  const { notes, result, path } = reading;
  const plain = text.replace(LINK, (link, said: string, address: string) =>
    plainLink({ link, said, address, label, line }, draft, reading),
  );
  // The older form of an id has a comma of its own, so only entries of today's form are a list.
  const entries = /,\s*v[0-9]/.test(plain) ? [plain] : plain.split(',');
  // A comma at the end only says that the list goes on.
  if (entries.length > 1 && entries.at(-1)?.trim() === '') entries.pop();
  for (const entry of entries) {
    const found = findId(entry);
    if (found) {
      const link = label === 'Covers' ? linkType(type) : 'depends';
      result.links.push({ from: item.id, to: idText(found.id), type: link, path, line, item });
      tellBeside(found.rest, line, item.id, reading);
    } else {
      const detail = `${label} of ${shown} names no item: ${entry.trim().slice(0, 200)}`;
      notes.lose('invalid_reference', line, detail, ofItem(item.id));
    }
  }
}

/** A link of an entry, and where it stands. */
interface PlacedLink {
  link: string;
  said: string;
  address: string;
  label: string;
  line: number;
}

/** A link without its address: with the id of the address, or else that of its text. */
function plainLink(placed: PlacedLink, { item, shown }: Draft, reading: Reading): string {
  const { link, said, address, label, line } = placed;
  const { notes } = reading;
  const target = idWithin(address);
  const own = findId(said);
  const id = target ?? own?.id;
  if (!id) return link;
  const [, place = '', name = ''] = /^(<[^<>]*>|\S*)\s*(.*)$/s.exec(address.trim()) ?? [];
  const isSame = target !== null && own !== null && idText(own.id) === idText(target);
  if (target && own && !isSame) {
    const [first, other] = [target, own.id].map((one) => shortId(idText(one)));
    const detail = `A link under ${label} of ${shown} leads to ${first}, and its text names ${other}: the link counts.`;
    notes.lose('invalid_reference', line, detail, ofItem(item.id));
  }
  const keepsText = !target || (isSame && !said.includes(','));
  const beside = keepsText ? '' : (own?.rest ?? said.trim());
  const elsewhere = place.startsWith('#') ? '' : place;
  const rest = [beside, elsewhere, name].filter((part) => part !== '').join(' ');
  tellBeside(rest, line, item.id, reading);
  if (!target && place.startsWith('#') && !isAnchorOf(place.slice(1), id)) {
    const detail = `The place in a link under ${label} of ${shown} is not kept: ${place.slice(0, 200)}`;
    notes.note('text_ignored', line, detail, ofItem(item.id));
  }
  return `[${keepsText ? said : idText(id)}]`;
}

/** Whether an anchor only says an id again, as the headings of features do: by its name. */
function isAnchorOf(anchor: string, { name }: ItemId): boolean {
  const words = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return anchor === '' || words(anchor) === words(name);
}

/** Tells what stands beside an id where nothing but it is looked for. */
export function tellBeside(rest: string, line: number, id: string, { notes }: Reading): void {
  if (rest === '') return;
  const detail = `What stands beside the id is not kept: ${rest.slice(0, 200)}`;
  notes.lose('text_ignored', line, detail, { severity: 'info', ...ofItem(id) });
}
