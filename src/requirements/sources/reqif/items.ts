// Items of ReqIF objects and specifications: what their attributes mean, everything else under its own
// name, and their ids. What they stand in comes later.
import type { AttributeValue, NodeKind, SourceItem } from '../model.ts';
import { idFault, shownId, usableId } from '../usable-id.ts';
import { isHeading, type Role } from './names.ts';
import type { Element, Read } from './set.ts';
import type { TextChoice } from './text-attribute.ts';
import { valueText } from './values.ts';

/** An item without parent and order; its attributes are added to until it is done. */
export interface Draft extends Element {
  /** ReqIF.ForeignID, and the name of its attribute; empty where there is none. */
  foreignId: string;
  foreignIdName: string;
  attributes: Map<string, AttributeValue>;
  item: Omit<SourceItem, 'parentId' | 'attributes'>;
}

/** Makes an item of an object or a specification; its id is still empty. */
export function draftOf(element: Element, isDocument: boolean, texts: TextChoice): Draft {
  const { document, source, type, reads } = element;
  const text = takeRead(texts.textOf(element));
  const foreignId = take(reads, 'id', isText);
  const heading = take(reads, 'title', isText);
  const titled = heading && valueText(heading.json);
  const title = heading?.value.kind === 'XHTML' ? oneLine(titled ?? '') : titled;
  const said = text ?? take(reads, 'statement', isText);
  const statement = said ? valueText(said.json) : '';
  const deleted = take(reads, 'deleted', ({ json }) => /^(?:true|false)$/i.test(`${json}`));
  const textOf = (role: Role) => {
    const found = take(reads, role, (read) => valueText(read.json).trim() !== '');
    return found ? valueText(found.json) : null;
  };
  const [rationale, status, priority] = [textOf('rationale'), textOf('status'), textOf('priority')];
  const acceptance = listOf(take(reads, 'acceptance', isList), linesOf);
  const tags = listOf(take(reads, 'tags', isList), tagsOf);
  const headed = heading !== undefined && isHeading(heading.definition.name);
  const attributes = new Map<string, AttributeValue>();
  const name = title ?? source.name;
  setText(attributes, 'reqif:identifier', source.identifier);
  setText(attributes, 'reqif:type', type?.name || source.type);
  setText(attributes, 'reqif:last-change', source.lastChange);
  setText(attributes, 'reqif:desc', source.desc);
  if (source.name !== name) setText(attributes, 'reqif:long-name', source.name);
  setText(attributes, 'reqif:alternative-id', source.alternativeId);
  setText(attributes, 'reqif:file', document.inside ?? '');
  setValues(attributes, reads);
  return {
    ...element,
    foreignId: foreignId ? writtenText(foreignId) : '',
    foreignIdName: foreignId?.definition.name ?? '',
    attributes,
    item: {
      id: '',
      kind: isDocument ? 'document' : kindOf(type?.name ?? '', headed && statement.trim() === ''),
      title: name,
      statement,
      acceptance,
      rationale,
      status,
      priority,
      tags,
      path: document.path,
      line: source.line,
      ...(document.inside === null ? {} : { inside: document.inside }),
      active: !/^true$/i.test(`${deleted?.json}`),
    },
  };
}

/** Takes the value that serves a role best, among those that are usable for it. */
function take(reads: readonly Read[], role: Role, usable: (read: Read) => boolean) {
  let best: Read | undefined;
  for (const read of reads) {
    if (read.used || read.role?.role !== role || !usable(read)) continue;
    if (best === undefined || isBetter(read, best)) best = read;
  }
  return takeRead(best);
}

function takeRead(read: Read | undefined): Read | undefined {
  if (read) read.used = true;
  return read;
}

/** Whether the name of an attribute says its role better; the order of values is of no account. */
function isBetter(one: Read, other: Read): boolean {
  const [rank, than] = [one.role?.rank ?? 0, other.role?.rank ?? 0];
  if (rank !== than) return rank < than;
  const [name, second] = [one.definition.name, other.definition.name];
  if (name === second) return one.value.text.length > other.value.text.length;
  const isStandard = name.startsWith('ReqIF.');
  return isStandard === second.startsWith('ReqIF.') ? name < second : isStandard;
}

function isText({ json }: Read): boolean {
  return (typeof json === 'string' && /\S/.test(json)) || typeof json === 'number';
}

function isList({ json }: Read): boolean {
  return Array.isArray(json) || (typeof json === 'string' && json.trim() !== '');
}

/** A value as text, of a number as it is written: 1.1 and 1.10 are two ids. */
function writtenText({ json, value }: Read): string {
  return typeof json === 'number' ? value.text.trim() : valueText(json);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

function listOf(read: Read | undefined, split: (text: string) => string[]): string[] {
  if (!read) return [];
  return Array.isArray(read.json) ? read.json.map(valueText) : split(valueText(read.json));
}

/** The lines of a text, or the items of a list with their further lines. */
function linesOf(text: string): string[] {
  const marked = /^(?:[-*•]|\d{1,4}[.)])\s+/;
  const entries: string[] = [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isMarked = marked.test(lines[0] ?? '');
  for (const line of lines) {
    if (isMarked && /^\s/.test(line) && entries.length > 0)
      entries[entries.length - 1] += `\n${line.trim()}`;
    else entries.push(line.trim().replace(marked, ''));
  }
  return entries;
}

function tagsOf(text: string): string[] {
  const tags = text.split(/[,;\n]/).map((tag) => tag.trim().replace(/^(?:-|\d{1,9}\.)\s+/, ''));
  return tags.filter((tag) => tag !== '');
}

function kindOf(type: string, isHeading: boolean): NodeKind {
  if (isHeading || /^(?:heading|section|chapter)s?$/i.test(type)) return 'section';
  return /^(?:user[ _-]?)?(?:story|stories)$/i.test(type) ? 'story' : 'requirement';
}

export function setText(attributes: Map<string, AttributeValue>, name: string, text: string): void {
  if (text !== '') setBeside(attributes, name, text);
}

/** Sets an attribute under its name; where that is taken by another value, with a number. */
export function setBeside(
  attributes: Map<string, AttributeValue>,
  name: string,
  value: AttributeValue,
): void {
  if (attributes.get(name) === value) return;
  let free = name;
  for (let count = 2; attributes.has(free); count += 1) free = `${name} (${count})`;
  attributes.set(free, value);
}

/** Sets the values that serve no role, and what any of them simplifies. */
export function setValues(attributes: Map<string, AttributeValue>, reads: readonly Read[]): void {
  for (const { value, json, definition, used } of reads) {
    const { name, identifier } = definition;
    const free = attributes.has(name) ? `${name} (${identifier})` : name;
    if (!used) setBeside(attributes, free, json);
    if (value.original !== '' && value.original !== value.text)
      setBeside(attributes, `${name} (original)`, value.original);
  }
}

/**
 * Gives the drafts their ids: ReqIF.ForeignID, which people know, where it names one item alone, else
 * the IDENTIFIER. A ReqIF.ForeignID that is no id becomes an attribute.
 */
export function assignIds(drafts: readonly Draft[]): void {
  const identifiers = new Set(drafts.map(({ source }) => source.identifier));
  const holders = Map.groupBy(drafts, ({ foreignId }) => foreignId);
  const made = new Map<string, number>();
  for (const [foreignId, all] of holders) {
    const [first] = all as [Draft, ...Draft[]];
    const own = all.filter((one) => one.source.identifier !== first.source.identifier).length === 0;
    const isOwn = own && (foreignId === first.source.identifier || !identifiers.has(foreignId));
    const isUsable = foreignId !== '' && idFault(foreignId) === undefined;
    for (const draft of all) {
      draft.item.id = isOwn && isUsable ? foreignId : identifierOf(draft, identifiers, made);
      if (foreignId !== '' && draft.item.id !== foreignId)
        setBeside(draft.attributes, draft.foreignIdName, foreignId);
    }
    if (foreignId === '' || (isOwn && isUsable)) continue;
    const { report } = first.document;
    const detail = isUsable
      ? `ReqIF.ForeignID ${foreignId} is not of one item alone: those with it go by their IDENTIFIERs.`
      : `A ReqIF.ForeignID ${idFault(foreignId)}, and is ${shownId(foreignId)}: the IDENTIFIER counts.`;
    report.report(isUsable ? 'invalid_value' : 'invalid_id', first.source.line, detail, {
      itemId: first.item.id,
      relatedIds: all.slice(1, 101).map(({ item }) => item.id),
    });
  }
}

/** The IDENTIFIER of an element; where that can be no id, one that is made of file and title. */
function identifierOf(
  { document, source, item }: Draft,
  identifiers: ReadonlySet<string>,
  made: Map<string, number>,
): string {
  const fault = idFault(source.identifier);
  if (fault === undefined) return source.identifier;
  const inner = document.inside === null ? '' : `!${document.inside}`;
  const base = `${document.path}${inner}#${item.title || source.line}`;
  let id = '';
  do {
    const count = (made.get(base) ?? 0) + 1;
    made.set(base, count);
    id = usableId(count === 1 ? base : `${base} (${count})`);
  } while (identifiers.has(id));
  const detail = `An IDENTIFIER ${fault}, and is ${shownId(source.identifier)}: the id is ${id}.`;
  document.report.report('invalid_id', source.line, detail, { itemId: id });
  return id;
}
