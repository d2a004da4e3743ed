// Doorstop's stamps: the hash over what a review of an item, or the confirmation of a link to it,
// covered. SHA-256 over the printed values one after the other, in URL-safe Base64 with its padding.
import { createHash } from 'node:crypto';
import type { ItemContent } from './item.ts';
import { type PyValue, scalarRepr, stringRepr, typedScalar, typedText } from './python.ts';

/**
 * Hashes an item's content.
 * @param links - the UIDs that it links to, sorted, for the stamp of a review; none for that of a link
 */
export function stampOfItem(
  uid: string,
  content: ItemContent,
  extended: readonly string[],
  links: readonly string[] = [],
): string {
  const hash = createHash('sha256');
  hash.update(uid).update(content.text).update(content.ref);
  if (content.references.length > 0) hash.update(referencesText(content));
  for (const link of links) hash.update(link);
  for (const name of extended) hash.update(extendedText(name, content) ?? '');
  return hash.digest('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function referencesText({ references }: ItemContent): string {
  const printed = references.map(({ type, path, keyword, sha }) => {
    let text = `{'type': ${stringRepr(type)}, 'path': ${stringRepr(path)}`;
    if (keyword !== null) text += `, 'keyword': ${valueRepr(keyword)}`;
    if (sha !== null) text += `, 'sha': ${valueRepr(sha)}`;
    return `${text}}`;
  });
  return `[${printed.join(', ')}]`;
}

function valueRepr(value: PyValue): string {
  if (value.kind === 'list') return `[${value.items.map(valueRepr).join(', ')}]`;
  if (value.kind !== 'map') return scalarRepr(value);
  const entries = [...value.entries].map(
    ([key, { value: inner }]) => `${stringRepr(key)}: ${valueRepr(inner)}`,
  );
  return `{${entries.join(', ')}}`;
}

function extendedText(name: string, content: ItemContent): string | null {
  const bool = (value: boolean) => typedScalar('bool', value ? 'True' : 'False');
  switch (name) {
    case 'text':
    case 'header':
      return typedScalar('doorstop.core.types.Text', content[name]);
    case 'level':
      return typedScalar('doorstop.core.types.Level', levelText(content));
    case 'active':
    case 'derived':
    case 'normative':
      return bool(content[name]);
    case 'ref':
      return typedScalar('str', content.ref);
    default: {
      const value = content.fields.get(name)?.value;
      return value === undefined ? null : typedText(value);
    }
  }
}

function levelText({ level }: ItemContent): string {
  return [...level.parts, ...(level.heading ? [0] : [])].join('.');
}
