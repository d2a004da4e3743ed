// An operation of an API document as a route.
import type { SourceRoute } from '../model.ts';
import { isScalar, type Library, memberOfKind, type Node, textIn } from './library.ts';
import { serverPrefix } from './servers.ts';
import { declaredIds, idsOfTag, markedIds } from './story-ids.ts';

export interface PathItem {
  /** Without the prefix: empty, or `/...`. */
  template: string;
  /** That of the document. */
  prefix: string;
  /** That of its own servers; null where it has none. */
  ownPrefix: string | null;
  isSwagger: boolean;
  storyIds: readonly string[];
}

const MAX_TAGS = 100;

/** Reads an operation; null for what is none, which is not kept. */
export function readOperation(given: Node, path: PathItem, library: Library): SourceRoute | null {
  const method = given.part.name.toUpperCase();
  const operation = library.resolve(given);
  if (operation?.part.kind !== 'map') {
    given.part.kept = operation === null;
    return null;
  }
  library.name(operation, 'operation');
  const ownPrefix = path.isSwagger ? null : serverPrefix(operation, library);
  const template = `${ownPrefix ?? path.ownPrefix ?? path.prefix}${path.template}`;
  const summary = textOf('summary', operation, library);
  const declared = [...new Set([...declaredIds(operation, library), ...path.storyIds])];
  const ids = [...declared, ...idsOfTags(operation), ...summary.ids];
  return {
    method,
    template,
    operationId: textOf('operationId', operation, library).text || null,
    summary: summary.text,
    storyIds: [...new Set(ids)],
    ...(declared.length > 0 ? { declaredIds: declared } : {}),
    path: operation.path,
    line: operation.part.line,
  };
}

function textOf(name: string, operation: Node, library: Library): { text: string; ids: string[] } {
  const found = textIn(operation, name);
  if (!found) return { text: '', ids: [] };
  const text = found.part.text.replace(/\s+/g, ' ').trim();
  return { text: library.cut(found, text), ids: markedIds(text) };
}

/** The ids that the tags of an operation name; the other tags, and those beyond the first, are not kept. */
function idsOfTags(operation: Node): string[] {
  const list = memberOfKind(operation, 'tags', 'list');
  const tags = list?.part.parts.slice(0, MAX_TAGS).filter(isScalar) ?? [];
  return tags.flatMap((tag) => {
    const ids = idsOfTag(tag.text);
    tag.kept = ids.length > 0;
    return ids;
  });
}
