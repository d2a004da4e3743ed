// An operation of an API document as a route.

import { joinsIds } from './gherkin-ids.ts';
import type { RouteParam, SourceRoute } from './model.ts';
import { withParams } from './openapi-params.ts';
import { keptText, loseOnce, type Reading, resolved } from './openapi-reading.ts';
import type { Operation } from './openapi-repeats.ts';
import { serverPrefix } from './openapi-servers.ts';
import { declaredIds, idsOfTag, markedIds } from './openapi-story-ids.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';
import { withTemplate } from './template-params.ts';

/** What a document says for all its operations. */
export interface DocumentScope {
  /** The prefix of all paths: empty, or `/...` without a slash at the end. */
  prefix: string;
  isSwagger: boolean;
}

/** What a path gives to its operations. */
export interface PathItem extends DocumentScope {
  /** As a finding names it. */
  named: string;
  /** With the prefix. */
  template: string;
  /** What may have servers of its own. */
  item: TreeNode;
  params: readonly RouteParam[];
  storyIds: readonly string[];
}

/** An operation, and what it is said in. */
interface Owner {
  operation: TreeNode;
  /** As a finding names it. */
  named: string;
  reading: Reading;
}

const MOST_TAGS = 100;

/** Reads an operation; null, with a finding, for what is none. */
export function readOperation(
  entry: TreeEntry,
  path: PathItem,
  reading: Reading,
): Operation | null {
  const { library } = reading;
  const { template } = path;
  const named = `${entry.key.toUpperCase()} ${template.slice(0, 200)}`;
  const operation = resolved(entry.node, () => named, reading);
  if (!operation) return null;
  if (operation.kind !== 'map') {
    const detail = `${named} is no map.`;
    library.notes(entry.node.path).lose('invalid_field', entry.line, detail);
    return null;
  }
  const isPart = operation !== entry.node;
  const [file, line] = isPart ? [operation.path, operation.line] : [entry.node.path, entry.line];
  const owner = { operation, named, reading };
  reading.unkept.look('operation', operation);
  if (!path.isSwagger) countCallbacks(owner);
  const tags = tagsOf(owner);
  const summary = textOf('summary', owner);
  const declared = [...new Set([...declaredIds(operation, library.notes(file)), ...path.storyIds])];
  const storyIds = [...declared, ...tags.ids, ...markedIds(summary.whole)];
  const route: SourceRoute = {
    method: entry.key.toUpperCase(),
    template: ownTemplate(path, owner),
    operationId: textOf('operationId', owner).kept || null,
    summary: summary.kept,
    storyIds: [...new Set(storyIds)],
    ...(declared.length > 0 ? { declaredIds: declared } : {}),
    tags: tags.kept,
    params: withTemplate(withParams(path.params, operation, named, reading), template),
    path: file,
    line,
  };
  return { route, node: operation };
}

/** Counts the callbacks of an operation, once where it is many routes by reference. */
function countCallbacks({ operation, named, reading }: Owner): void {
  const entry = operation.entries().get('callbacks');
  if (!entry || entry.node.kind === 'null' || reading.told.has(entry)) return;
  if (entry.node.kind !== 'map') {
    loseOnce(entry, operation.path, `\`callbacks\` of ${named} is no map.`, reading);
    return;
  }
  reading.told.add(entry);
  const keys = [...entry.node.entries().keys()].filter((key) => !key.startsWith('x-'));
  if (keys.length === 0) return;
  const known = reading.callbacks.get(operation.path) ?? { line: entry.line, count: 0 };
  const { line, count } = known;
  reading.callbacks.set(operation.path, {
    ...{ line: Math.min(line, entry.line), count: count + keys.length },
  });
}

/** A member of an operation that is to be of a kind; what is of another one is noted. */
function member(
  name: string,
  kind: 'text' | 'list',
  { operation, named, reading }: Owner,
): TreeNode | null {
  const entry = operation.entries().get(name);
  if (!entry || entry.node.kind === kind) return entry?.node ?? null;
  if (entry.node.kind !== 'null') {
    loseOnce(entry, operation.path, `\`${name}\` of ${named} is no ${kind}.`, reading);
  }
  return null;
}

/** A text of an operation on one line, and as much of it as is kept. */
function textOf(name: string, owner: Owner): { whole: string; kept: string } {
  const node = member(name, 'text', owner);
  if (!node) return { whole: '', kept: '' };
  const whole = node.text.replace(/\s+/g, ' ').trim();
  const what = () => `\`${name}\` of ${owner.named}`;
  return { whole, kept: keptText(whole, what, node, owner.reading) };
}

/** The tags of an operation that are kept, and the ids that they name. */
function tagsOf(owner: Owner): { kept: string[]; ids: string[] } {
  const { operation, named, reading } = owner;
  const entry = operation.entries().get('tags');
  const items = member('tags', 'list', owner)?.items() ?? [];
  const first = items.slice(0, MOST_TAGS);
  if (entry && first.some(({ kind, isLost }) => kind !== 'text' && !isLost)) {
    loseOnce(entry, operation.path, `A value of \`tags\` of ${named} is no text.`, reading);
  }
  if (entry && items.length > MOST_TAGS) {
    const detail = `${named} has ${items.length} tags: the first ${MOST_TAGS} are read.`;
    loseOnce(entry, operation.path, detail, reading, 'too_much');
  }
  const tags = first.filter(({ kind }) => kind === 'text');
  const joined = tags.find(({ text }) => joinsIds(text) && idsOfTag(text).length === 0);
  if (entry && joined) {
    const detail = `The tag ${joined.text.slice(0, 100)} of ${named} links nothing: ids need a tag each.`;
    loseOnce(entry, operation.path, detail, reading, 'invalid_reference');
  }
  const what = () => `A tag of ${named}`;
  const kept = tags.map((tag) => keptText(tag.text, what, tag, reading));
  return { kept: [...new Set(kept)], ids: tags.flatMap(({ text }) => idsOfTag(text)) };
}

/** The template with the prefix of the operation's own servers or those of its path, if it has any. */
function ownTemplate(path: PathItem, { operation, named, reading }: Owner): string {
  if (path.isSwagger) return path.template;
  const own = serverPrefix(operation, named, reading);
  const ofPath = own === null ? undefined : path.item.entries().get('servers');
  if (ofPath) reading.unkept.add(ofPath, 'paths for operations with their own');
  const prefix = own ?? serverPrefix(path.item, path.named, reading);
  return prefix === null ? path.template : prefix + path.template.slice(path.prefix.length);
}
