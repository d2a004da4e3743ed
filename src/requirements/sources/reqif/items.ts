// Items of ReqIF objects and specifications: what their attributes mean, everything else under its own
// name, and their ids. What they stand in comes later.

import { idFault, shownId, usableId } from '../item-ids.ts';
import type { AttributeValue, NodeKind, SourceItem } from '../model.ts';
import type { Identified } from './document.ts';
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

export function draftOf(element: Element, texts: TextChoice): Draft {
  const { document, source, type, reads } = element;
  const text = takeRead(texts.textOf(element));
  const foreignId = take(reads, 'id', isText);
  const heading = take(reads, 'title', isText);
  const title = heading ? valueText(heading.json).replace(/\s*\n\s*/g, ' ') : source.name;
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
  setAbout(attributes, source.name === title ? { ...source, name: '' } : source);
  setText(attributes, 'reqif:type', type?.name || source.type);
  setText(attributes, 'reqif:file', document.inside ?? '');
  setValues(attributes, reads);
  for (const [key, value] of source.children ? document.header : [])
    setText(attributes, `reqif:header:${key}`, value);
  return {
    ...element,
    foreignId: foreignId ? writtenText(foreignId) : '',
    foreignIdName: foreignId?.definition.name ?? '',
    attributes,
    item: {
      id: '',
      kind: source.children
        ? 'document'
        : kindOf(type?.name ?? '', headed && statement.trim() === ''),
      title,
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

/** Takes the value that serves a role best, whatever order they stand in. */
function take(reads: readonly Read[], role: Role, usable: (read: Read) => boolean) {
  const [best] = reads
    .filter((read) => !read.used && read.definition.role?.role === role && usable(read))
    .sort(byFitness);
  return takeRead(best);
}

function byFitness(a: Read, b: Read): number {
  const ranks = (a.definition.role?.rank ?? 0) - (b.definition.role?.rank ?? 0);
  const [name, other] = [a.definition.name, b.definition.name];
  if (ranks !== 0 || name !== other) return ranks || (name < other ? -1 : 1);
  return b.value.text.length - a.value.text.length;
}

function takeRead(read: Read | undefined): Read | undefined {
  if (read) read.used = true;
  return read;
}

function isText({ json }: Read): boolean {
  return (typeof json === 'string' && /\S/.test(json)) || typeof json === 'number';
}

function isList({ json }: Read): boolean {
  return Array.isArray(json) || (typeof json === 'string' && json.trim() !== '');
}

function writtenText({ json, value }: Read): string {
  return typeof json === 'number' ? value.text.trim() : valueText(json);
}

function listOf(read: Read | undefined, split: (text: string) => string[]): string[] {
  if (!read) return [];
  return Array.isArray(read.json) ? read.json.map(valueText) : split(valueText(read.json));
}

function linesOf(text: string): string[] {
  const mark = /^(?:[-*•]|\d{1,4}[.)])\s+/m;
  const entries = text.split(text.search(mark) === 0 ? mark : '\n');
  return entries.map((one) => one.trim().replace(/\n\s*/g, '\n')).filter((one) => one !== '');
}

function tagsOf(text: string): string[] {
  const tags = text.split(/[,;\n]/).map((tag) => tag.trim().replace(/^(?:-|\d{1,9}\.)\s+/, ''));
  return tags.filter((tag) => tag !== '');
}

function kindOf(type: string, isHeading: boolean): NodeKind {
  if (isHeading || /^(?:heading|section|chapter)s?$/i.test(type)) return 'section';
  return /^(?:user[ _-]?)?(?:story|stories)$/i.test(type) ? 'story' : 'requirement';
}

export function setAbout(attributes: Map<string, AttributeValue>, source: Identified): void {
  setText(attributes, 'reqif:identifier', source.identifier);
  setText(attributes, 'reqif:long-name', source.name);
  setText(attributes, 'reqif:desc', source.desc);
  setText(attributes, 'reqif:last-change', source.lastChange);
}

function setText(attributes: Map<string, AttributeValue>, name: string, text: string): void {
  if (text !== '') setBeside(attributes, name, text);
}

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
  for (const [foreignId, all] of Map.groupBy(drafts, (draft) => draft.foreignId)) {
    const [first] = all as [Draft, ...Draft[]];
    const own = first.source.identifier;
    const isAlone = all.every(({ source }) => source.identifier === own);
    const isOwn = isAlone && (foreignId === own || !identifiers.has(foreignId));
    const isUsable = foreignId !== '' && idFault(foreignId) === undefined;
    for (const draft of all) {
      draft.item.id = isOwn && isUsable ? foreignId : identifierOf(draft);
      if (foreignId !== '' && draft.item.id !== foreignId)
        setBeside(draft.attributes, draft.foreignIdName, foreignId);
    }
    if (foreignId === '' || (isOwn && isUsable)) continue;
    const detail = isUsable
      ? `ReqIF.ForeignID ${foreignId} is not of one item alone: those with it go by their IDENTIFIERs.`
      : `A ReqIF.ForeignID ${idFault(foreignId)}, and is ${shownId(foreignId)}: the IDENTIFIER counts.`;
    const relatedIds = all.slice(1, 101).map(({ item }) => item.id);
    const parts = { itemId: first.item.id, relatedIds };
    const code = isUsable ? 'invalid_value' : 'invalid_id';
    first.document.report.report(code, first.source.line, detail, parts);
  }
}

function identifierOf({ document, source }: Draft): string {
  const fault = idFault(source.identifier);
  if (fault === undefined) return source.identifier;
  const { path, inside, report } = document;
  const id = usableId(`${path}${inside === null ? '' : `!${inside}`}#${source.line}`);
  const detail = `An IDENTIFIER ${fault}, and is ${shownId(source.identifier)}: the id is ${id}.`;
  report.report('invalid_id', source.line, detail, { itemId: id });
  return id;
}
