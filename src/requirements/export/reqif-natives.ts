// What of an item's or a link's attributes ReqIF has places of its own for: the attributes of its
// elements, and relation groups. The rest is written as values.

import type { AttributeValue } from '../sources/model.ts';
import { encodeName, OWN_PREFIX } from '../sources/reqif-names.ts';
import type { ExportedLink } from './reqif-elements.ts';
import type { ExportedItem } from './reqif-plan.ts';
import { isXmlText } from './xml-text.ts';

/** Attributes that are written natively, by their names. */
export type Natives = Readonly<Record<string, string | undefined>>;

/** The attribute that lists the relation groups of a link. */
export const GROUPS = 'reqif:relation-groups';

const NOTHING: Natives = {};

function textIn(attributes: Record<string, AttributeValue>, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && value !== '' && isXmlText(value) ? value : undefined;
}

/** The attribute that names the type of an item, where it is one that ReqIF can write. */
export function typeName(item: ExportedItem): string | undefined {
  return textIn(item.attributes, 'reqif:type');
}

/**
 * What of an item is written natively, and will be read as it was.
 *
 * @param identifier - the IDENTIFIER that it gets
 * @param time - what is written where there is no time of its own
 */
export function nativesOf(
  item: ExportedItem,
  identifier: string | undefined,
  time: string,
  specification: boolean,
): Natives {
  const { attributes, title } = item;
  const text = (name: string) => textIn(attributes, name);
  const long = text('reqif:long-name');
  return {
    'reqif:identifier': text('reqif:identifier') === identifier ? identifier : undefined,
    'reqif:type': text('reqif:type'),
    'reqif:last-change': changeOf(attributes, time),
    'reqif:desc': text('reqif:desc'),
    // Without a title the reader takes the long name for one.
    'reqif:long-name': title.trim() !== '' && long !== title ? long : undefined,
    'reqif:alternative-id': text('reqif:alternative-id'),
    'reqif:place-name': specification ? undefined : text('reqif:place-name'),
  };
}

/** The time of a change, where it can be told from that of the document. */
function changeOf(attributes: Record<string, AttributeValue>, time: string): string | undefined {
  const changed = textIn(attributes, 'reqif:last-change');
  return changed !== undefined && changed !== time && isTime(changed) ? changed : undefined;
}

/** Whether a text is an `xsd:dateTime`, roughly. */
function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.test(text);
}

/**
 * What of a link is written natively, but for its groups.
 *
 * @param time - what is written where there is no time of its own
 */
export function linkNatives(
  { attributes }: ExportedLink,
  identifier: string | undefined,
  time: string,
): Natives {
  if (attributes === undefined) return NOTHING;
  const own = textIn(attributes, 'reqif:identifier');
  return {
    'reqif:identifier': own === identifier ? own : undefined,
    'reqif:last-change': changeOf(attributes, time),
    'reqif:long-name': textIn(attributes, 'reqif:long-name'),
    'reqif:desc': textIn(attributes, 'reqif:desc'),
  };
}

/** The names of the groups of a link, where they can be written as groups: sorted, each once. */
export function groupsOf({ attributes }: ExportedLink): readonly string[] {
  const names = attributes?.[GROUPS];
  if (!Array.isArray(names)) return [];
  const plain = names.every(
    (name, at): name is string =>
      typeof name === 'string' && name !== '' && isXmlText(name) && (at === 0 || before(names, at)),
  );
  return plain ? names : [];
}

function before(names: readonly AttributeValue[], at: number): boolean {
  return String(names[at - 1]) < String(names[at]);
}

/**
 * An IDENTIFIER for each item: the one that it came with, where that is a legal one, else one
 * made of its id, so that it stays the same from export to export.
 */
export function identifiersOf(items: Iterable<ExportedItem>): Map<ExportedItem, string> {
  const taken = new Set<string>();
  const identifiers = new Map<ExportedItem, string>();
  for (const item of items) {
    const came = legalIdentifier(item.attributes, taken);
    const identifier = came ?? `${OWN_PREFIX}item.${encodeName(item.id)}`;
    taken.add(identifier);
    identifiers.set(item, identifier);
  }
  return identifiers;
}

/** An IDENTIFIER for each link, none of them that of an item. */
export function linkIdentifiers(
  links: readonly ExportedLink[],
  ofItems: ReadonlyMap<ExportedItem, string>,
): string[] {
  const taken = new Set(ofItems.values());
  return links.map(({ attributes }, at) => {
    const identifier = legalIdentifier(attributes ?? {}, taken) ?? `${OWN_PREFIX}link.${at + 1}`;
    taken.add(identifier);
    return identifier;
  });
}

function legalIdentifier(
  attributes: Record<string, AttributeValue>,
  taken: ReadonlySet<string>,
): string | undefined {
  const came = textIn(attributes, 'reqif:identifier');
  const legal =
    came !== undefined &&
    /^[A-Za-z_][\w.-]*$/.test(came) &&
    !came.startsWith(OWN_PREFIX) &&
    !taken.has(came);
  return legal ? came : undefined;
}
