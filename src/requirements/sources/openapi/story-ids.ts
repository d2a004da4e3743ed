// The items that an API document names for its routes: by extensions (`x-story` and the like), by
// tags, and in brackets or after `@` in a summary.
import { MAX_ID_LENGTH } from '../../../limits.ts';
import { idOfTag } from '../gherkin/ids.ts';
import { idsIn, looksLikeId } from '../item-ids.ts';
import { isScalar, type Library, memberOf, type Node } from './library.ts';

const STORY_EXTENSIONS = ['x-story', 'x-stories', 'x-requirement', 'x-requirements'];

const MAX_VALUES = 1000;

/** The ids that the extensions of a path or an operation name; what names none is not kept. */
export function declaredIds(node: Node, { declared }: Library): readonly string[] {
  const known = declared.get(node.part);
  if (known) return known;
  const ids = STORY_EXTENSIONS.flatMap((name) => {
    const part = memberOf(node, name)?.part;
    if (!part) return [];
    return (part.kind === 'list' ? part.parts.slice(0, MAX_VALUES) : [part]).flatMap((value) => {
      const found = isScalar(value) ? idsOfValue(value.text) : { ids: [], rest: 'none' };
      value.kept = found.rest === '';
      return found.ids;
    });
  });
  declared.set(node.part, ids);
  return ids;
}

/**
 * `US-1, US-2` names two; a word that looks like no id, such as `a.md#login`, is one all the same,
 * since it is said to be.
 */
function idsOfValue(text: string): { ids: string[]; rest: string } {
  const found = idsIn(text);
  if (found.ids.length > 0 && found.rest === '') return found;
  const word = text.trim();
  if (/^[^\s,;]+$/.test(word) && word.length <= MAX_ID_LENGTH) return { ids: [word], rest: '' };
  return { ids: found.ids, rest: 'some' };
}

export function idsOfTag(tag: string): string[] {
  const whole = tag.replace(/^@/, '');
  if (looksLikeId(whole)) return [whole];
  const named = /[:=]/.test(whole) ? idOfTag(whole) : [];
  return named.length > 0 ? named : markedIds(tag);
}

export function markedIds(text: string): string[] {
  const marks = text.matchAll(
    /\[([^[\]]{1,500})\]|(?:^|[\s([,])@([A-Za-z][\w.~-]{0,199})(?![\w.~-])/g,
  );
  const words = [...marks].flatMap(([, inside, word = '']) =>
    inside === undefined ? [word] : inside.split(/[\s,;]+/),
  );
  words.push(/^([^\s:]{1,200}):(?=\s)/.exec(text.trimStart())?.[1] ?? '');
  return words.map((word) => word.replace(/^@|[.~-]+$/g, '')).filter(looksLikeId);
}
