// The ids of items that the tags, the titles and the descriptions of Gherkin name.
import type { Scenario } from '@cucumber/messages';
import { looksLikeId } from './item-ids.ts';
import { idText, idWithin } from './openfasttrace-patterns.ts';

/** The id that a tag names: `US-12`, `TUT017`, `req~x~1`, or with a word before: `story:US-12`. */
export function idOfTag(tag: string): string[] {
  const value = /^[A-Za-z][A-Za-z_-]*[:=](.+)$/.exec(tag)?.[1] ?? tag;
  const id = value.replace(/^[[("']|[\])"']$/g, '');
  return looksLikeId(id) || /^[A-Z]{2,}[0-9]{2,}$/.test(id) ? [id] : withoutRevision(id);
}

/** `REQ-14~2` names revision 2 of REQ-14. */
function withoutRevision(tag: string): string[] {
  const id = /^([^~]+)~[0-9]+$/.exec(tag)?.[1];
  return id !== undefined && looksLikeId(id) ? [id] : [];
}

/** The ids that the title and the description of a scenario name. */
export function idsOfTexts({
  name,
  description,
}: Pick<Scenario, 'name' | 'description'>): string[] {
  return [...idsOfTitle(name), ...idsOfDescription(description)];
}

function idsOfTitle(title: string): string[] {
  const marked = [...title.matchAll(/\[([^[\]\s]{1,200})\]|(?:^|\s)@(\S+)/g)];
  const first = /^([^\s:]{1,200}):(?=\s)/.exec(title.trim())?.[1];
  const words = [...marked.map((match) => match[1] ?? match[2] ?? ''), first ?? ''];
  return words.filter(looksLikeId);
}

/** The coverage tags of OpenFastTrace in a description: `[utest->req~login~1]`. */
function idsOfDescription(description: string): string[] {
  const tags = description.matchAll(/\[\s*[A-Za-z]+(?:~[^\][>]{0,200})?\s*->\s*([^\][>]{1,300})/g);
  return [...tags].flatMap(([, target = '']) => {
    const id = idWithin(target);
    return id ? [idText(id)] : [];
  });
}
