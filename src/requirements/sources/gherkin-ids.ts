// The ids of items that the tags and the titles of Gherkin name.
import { LOOK_MOST, looksLikeId, looksLikeLongId } from './item-ids.ts';

/** Parts of a tag that are looked at. */
const MOST_JOINED = 100;

/** The id that a tag names: `US-12`, `TUT017`, `req~x~1`, or with a word before: `story:US-12`. */
export function idOfTag(tag: string): string[] {
  const id = valueOfTag(tag);
  if (looksLikeId(id) || /^[A-Z]{2,}[0-9]{2,}$/.test(id)) return [id];
  const plain = withoutRevision(id);
  return plain !== undefined && looksLikeId(plain) ? [plain] : [];
}

/** The id that a tag names, where it is too long to be known as one. */
export function longIdOfTag(tag: string): string | undefined {
  if (tag.length <= LOOK_MOST) return undefined;
  const id = valueOfTag(tag);
  return [id, withoutRevision(id) ?? ''].find(looksLikeLongId);
}

/** Whether a tag names ids with something beside them, such as `US-7,US-8`: it links none of them. */
export function joinsIds(tag: string): boolean {
  const parts = valueOfTag(tag).split(/[,;|&+]/, MOST_JOINED);
  return parts.length > 1 && idOfTag(tag).length === 0 && parts.some((one) => looksLikeId(one));
}

/** Whether a tag names an item of OpenFastTrace without the revision that is of its id: `req~login`. */
export function lacksRevision(tag: string): boolean {
  return /^[A-Za-z]+~[A-Za-z][\w.-]*~?$/.test(valueOfTag(tag)) && idOfTag(tag).length === 0;
}

function valueOfTag(tag: string): string {
  const value = /^[A-Za-z][A-Za-z_-]*[:=](.+)$/.exec(tag)?.[1] ?? tag;
  return value.replace(/^[[("']|[\])"']$/g, '');
}

/** `REQ-14~2` names revision 2 of REQ-14. */
function withoutRevision(id: string): string | undefined {
  return /^([^~]+)~[0-9]+$/.exec(id)?.[1];
}

/** The ids that the title of a scenario names. */
export function idsOfTitle(title: string): string[] {
  return markedIn(title).filter(looksLikeId);
}

/** The ids that a title names and that are too long to be known as such. */
export function longIdsOfTitle(title: string): string[] {
  if (title.length <= LOOK_MOST) return [];
  return [...new Set(markedIn(title).filter(looksLikeLongId))];
}

/** The words of a title that are marked as ids are: in brackets, as a tag, with a colon after the first. */
function markedIn(title: string): string[] {
  const marked = [...title.matchAll(/\[([^[\]\s]+)\]|(?:^|\s)@(\S+)/g)];
  const first = /^([^\s:]+):(?=\s)/.exec(title.trim())?.[1];
  return [...marked.map((match) => match[1] ?? match[2] ?? ''), first ?? ''];
}
