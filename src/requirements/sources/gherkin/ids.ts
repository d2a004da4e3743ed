// The ids of items that the tags and titles of Gherkin name.
import { looksLikeId } from '../item-ids.ts';

/** The id that a tag names: `US-12`, `TUT017`, `req~x~1`, or with a word before: `story:US-12`. */
export function idOfTag(tag: string): string[] {
  const value = /^[A-Za-z][A-Za-z_-]*[:=](.+)$/.exec(tag)?.[1] ?? tag;
  const id = value.replace(/^[[("']|[\])"']$/g, '');
  if (looksLikeId(id) || /^[A-Z]{2,}[0-9]{2,}$/.test(id)) return [id];
  // `REQ-14~2` names revision 2 of REQ-14.
  const plain = /^([^~]+)~[0-9]+$/.exec(id)?.[1];
  return plain !== undefined && looksLikeId(plain) ? [plain] : [];
}

export function idsOfTitle(title: string): string[] {
  const marked = [...title.matchAll(/\[([^[\]\s]+)\]|(?:^|\s)@(\S+)/g)];
  const first = /^([^\s:]+):(?=\s)/.exec(title.trim())?.[1] ?? '';
  return [...marked.map((match) => match[1] ?? match[2] ?? ''), first].filter(looksLikeId);
}

const BRACKETS = /\[[A-Za-z]+(?:~[^\]\n>]{0,200})?\s*->([^\][\n]{1,600})\]/g;
const TARGET = /[A-Za-z]+~\p{L}[\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*~[0-9]+/gu;

export function coveredIn(text: string): string[] {
  if (!text.includes('->')) return [];
  return [...text.matchAll(BRACKETS)].flatMap(([, targets = '']) => {
    const [ids = ''] = targets.split('>>', 1);
    const triples = ids.match(TARGET) ?? [];
    return triples.length > 0 ? triples : ids.split(',').flatMap((id) => idOfTag(id.trim()));
  });
}
