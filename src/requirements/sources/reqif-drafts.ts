// Makes items of ReqIF objects and specifications, as far as one of them alone tells: what their
// attributes mean, and everything else under its own name. Identity and place come later.

import type { AttributeValue, NodeKind, SourceItem } from './model.ts';
import {
  defaultsFor,
  type Identified,
  type ReqifDocument,
  type SpecType,
} from './reqif-document.ts';
import { keepBeside, keptValues } from './reqif-kept-values.ts';
import { listOfLines } from './reqif-list-text.ts';
import { isHeadingRank, mayBeText, OWN, OWN_PREFIX, type Role } from './reqif-names.ts';
import type { RawValue } from './reqif-raw-values.ts';
import type { AttributeInfo, ReqifSet } from './reqif-set.ts';
import { attributeValue, textOfValue } from './reqif-values.ts';
import { oneLine } from './reqif-xhtml.ts';

/** An item that still lacks its id, its parent and the attributes that tell its place. */
export interface Draft {
  document: ReqifDocument;
  element: Identified;
  /** ReqIF.ForeignID, where there is one, and the name of its attribute. */
  foreignId: string | undefined;
  foreignIdName: string;
  /** Links that our own writer could not put into relations, as JSON. */
  links: AttributeValue;
  /** Its attributes are added to until it is done. */
  attributes: Map<string, AttributeValue>;
  item: Omit<SourceItem, 'id' | 'parentId' | 'attributes'>;
}

interface Read {
  raw: RawValue;
  info: AttributeInfo;
  value: AttributeValue;
  used: boolean;
}

/** Whether a STRING is long enough to be taken for a statement where nothing is named as one. */
function isLong(text: string): boolean {
  return text.length >= 24 && /\S\s+\S+\s+\S/.test(text);
}

/** Makes an item of an object (`SPEC-OBJECT`) or of a specification. */
export function draftOf(
  set: ReqifSet,
  document: ReqifDocument,
  element: Identified,
  specification: boolean,
): Draft {
  const type = set.typeOf(document, element.type, element.line);
  const reads = readAll(set, document, element, type);
  const foreignId = take(reads, 'id', isText);
  const heading = take(reads, 'title', isText);
  const long = element.name?.trim() ? element.name : undefined;
  const title = heading === undefined ? (long ?? blankOf(reads, 'title')) : titleOf(heading);
  const said =
    take(reads, 'statement', isText) ??
    (lacksText(set, document, type) ? guessedText(set, document, element, type, reads) : undefined);
  const statement = said === undefined ? blankOf(reads, 'statement') : textOfValue(said.value);
  const rationale = take(reads, 'rationale', (read) => isText(read) || isOwnText(read));
  const status = take(reads, 'status', (read) => isLabel(read) || isOwnText(read));
  const priority = take(reads, 'priority', (read) => isLabel(read) || isOwnText(read));
  const acceptance = take(reads, 'acceptance', isList);
  const tags = take(reads, 'tags', isList);
  const deleted = take(reads, 'deleted', isBoolean);
  const links = take(reads, 'links', () => true);
  const headed = heading !== undefined && isHeadingRank(heading.info.role?.rank ?? -1);

  const attributes = new Map<string, AttributeValue>();
  if (!element.identifier.startsWith(OWN_PREFIX)) {
    keep(attributes, 'reqif:identifier', element.identifier);
  }
  if (!isOwnType(element.type)) keep(attributes, 'reqif:type', type?.name ?? element.type);
  if (element.lastChange !== document.written) {
    keep(attributes, 'reqif:last-change', element.lastChange);
  }
  keep(attributes, 'reqif:desc', element.desc);
  if (element.name !== title) keep(attributes, 'reqif:long-name', element.name);
  keep(attributes, 'reqif:alternative-id', element.alternativeId);
  keep(attributes, 'reqif:file', document.report.inner ?? undefined);
  keepValues(attributes, reads);

  return {
    document,
    element,
    foreignId: foreignId === undefined ? undefined : writtenText(foreignId),
    foreignIdName: foreignId?.info.name ?? '',
    links: links?.value ?? null,
    attributes,
    item: {
      kind: specification
        ? 'document'
        : kindOf(element.type, type, headed && statement.trim() === ''),
      title,
      statement,
      acceptance: acceptance === undefined ? [] : listOf(acceptance, listOfLines),
      rationale: rationale === undefined ? null : textOfValue(rationale.value),
      status: status === undefined ? null : textOfValue(status.value),
      priority: priority === undefined ? null : textOfValue(priority.value),
      tags: tags === undefined ? [] : listOf(tags, tagsOf),
      path: document.report.path,
      line: element.line,
      ...(document.report.inner === null ? {} : { inside: document.report.inner }),
      active: deleted === undefined || deleted.value === false,
    },
  };
}

/** All values of an element with those that its type gives where it says none. */
function readAll(
  set: ReqifSet,
  document: ReqifDocument,
  element: Identified,
  type: SpecType | undefined,
): Read[] {
  const reads: Read[] = [];
  const add = (raw: RawValue, identifier: string): AttributeInfo => {
    const info = set.attribute(document, identifier);
    reads.push({ raw, info, value: attributeValue(set, document, raw, info), used: false });
    return info;
  };
  for (const raw of element.values) {
    if (add(raw, raw.definition).definition === undefined) {
      set.undeclared(document, element.type, raw.definition, raw.line);
    }
  }
  for (const standard of defaultsFor(element.values, type)) {
    set.usesDefault(standard);
    add(standard.defaultValue, standard.identifier);
  }
  return reads;
}

/** Takes the value that serves a role best, among those that are usable for it. */
function take(reads: Read[], role: Role, usable: (read: Read) => boolean): Read | undefined {
  let best: Read | undefined;
  for (const read of reads) {
    if (read.used || read.info.role?.role !== role || !usable(read)) continue;
    if (best === undefined || isBetter(read.info, best.info)) best = read;
  }
  if (best !== undefined) best.used = true;
  return best;
}

/** Whether the name of an attribute says its role better; the order of values says nothing. */
function isBetter(one: AttributeInfo, other: AttributeInfo): boolean {
  const [rank, than] = [one.role?.rank ?? 0, other.role?.rank ?? 0];
  if (rank !== than) return rank < than;
  if (one.name === other.name) return false;
  const [isStandard, otherIs] = [one, other].map(({ name }) => name.startsWith('ReqIF.'));
  return isStandard === otherIs ? one.name < other.name : isStandard === true;
}

/** What stands, though blank, where the role's text would; nothing of that is an attribute. */
function blankOf(reads: Read[], role: Role): string {
  let text = '';
  for (const read of reads) {
    if (read.used || read.info.role?.role !== role || typeof read.value !== 'string') continue;
    if (text === '') text = read.value;
    read.used = true;
  }
  return text;
}

const isText = ({ value }: Read): boolean =>
  (typeof value === 'string' && /\S/.test(value)) || typeof value === 'number';
/** Our own writer leaves out what is not there: what it writes is said, even if it is blank. */
const isOwnText = ({ raw, value }: Read): boolean =>
  typeof value === 'string' && raw.definition.startsWith(OWN.role);
const isLabel = (read: Read): boolean =>
  isText(read) || (Array.isArray(read.value) && read.value.length > 0);
const isList = ({ value }: Read): boolean =>
  Array.isArray(value) || (typeof value === 'string' && value.trim() !== '');
const isBoolean = ({ value }: Read): boolean => typeof value === 'boolean';

/** A value as text, of a number as it is written: 1.1 and 1.10 are two ids. */
function writtenText({ raw, value }: Read): string {
  return typeof value === 'number' ? raw.text.trim() : textOfValue(value);
}

/** A title in one line, unless we wrote it in more. */
function titleOf({ raw, value }: Read): string {
  const own = raw.definition.startsWith(OWN.role);
  return raw.kind === 'XHTML' && !own ? oneLine(textOfValue(value)) : textOfValue(value);
}

/** Whether the type has no attribute that is named as the text of its objects. */
function lacksText(set: ReqifSet, document: ReqifDocument, type: SpecType | undefined): boolean {
  if (type === undefined) return true;
  if (type.identifier.startsWith(OWN.type)) return false;
  return !type.definitions.some(
    ({ identifier }) => set.attribute(document, identifier).role?.role === 'statement',
  );
}

/**
 * The first attribute of XHTML that a type declares, else the first that is a long STRING, of those that
 * mean nothing else; of a type that is not declared the first value.
 */
function guessedText(
  set: ReqifSet,
  document: ReqifDocument,
  element: Identified,
  type: SpecType | undefined,
  reads: readonly Read[],
): Read | undefined {
  const free = reads.filter(({ used, info }) => !used && isUnnamed(info));
  const declared = type?.definitions.filter(({ identifier }) =>
    isUnnamed(set.attribute(document, identifier)),
  );
  const first = declared?.find(({ kind }) => kind === 'XHTML')?.identifier;
  const place = new Map(declared?.map(({ identifier }, at) => [identifier, at]));
  const inOrder = free.toSorted(
    (a, b) => (place.get(a.raw.definition) ?? 0) - (place.get(b.raw.definition) ?? 0),
  );
  const xhtml = inOrder.find(
    ({ raw }) => raw.kind === 'XHTML' && (first === undefined || raw.definition === first),
  );
  const found =
    xhtml ??
    (first === undefined
      ? inOrder.find(({ raw }) => raw.kind === 'STRING' && isLong(raw.text))
      : undefined);
  if (found === undefined || !isText(found)) return undefined;
  found.used = true;
  set.guessedText(document, type?.name ?? element.type, found.info.name, found.raw.line);
  return found;
}

function isUnnamed({ role, name }: AttributeInfo): boolean {
  return role === undefined && mayBeText(name);
}

function listOf({ value }: Read, split: (text: string) => string[]): string[] {
  return Array.isArray(value) ? value.map(textOfValue) : split(textOfValue(value));
}

function tagsOf(text: string): string[] {
  return (
    text
      .split(/[,;\n]/)
      // Those of a list have its marks.
      .map((tag) => tag.trim().replace(/^(?:-|\d{1,9}\.)\s+/, ''))
      .filter((tag) => tag !== '')
  );
}

function isOwnType(identifier: string): boolean {
  return identifier.startsWith(OWN.type) && identifier.split('.').length === 3;
}

function kindOf(identifier: string, type: SpecType | undefined, heading: boolean): NodeKind {
  if (identifier.startsWith(OWN.type)) {
    const kind = identifier.slice(OWN.type.length).split('.', 1)[0];
    if (kind === 'document' || kind === 'section' || kind === 'story') return kind;
    return 'requirement';
  }
  if (heading) return 'section';
  const name = type?.name?.trim().toLowerCase() ?? '';
  if (/^(heading|section|chapter)s?$/.test(name)) return 'section';
  return /^(user[ _-]?)?(story|stories)$/.test(name) ? 'story' : 'requirement';
}

/** Keeps the ReqIF.ForeignID of an item that does not go by it. */
export function keepForeignId({ attributes, foreignId, foreignIdName }: Draft): void {
  if (foreignId !== undefined) keepBeside(attributes, foreignIdName, foreignId);
}

function keep(attributes: Map<string, AttributeValue>, name: string, value: string | undefined) {
  if (value !== undefined && value !== '') attributes.set(name, value);
}

/** Keeps the values that serve no role, and what any of them simplifies. */
function keepValues(attributes: Map<string, AttributeValue>, reads: readonly Read[]): void {
  const kept = keptValues(attributes);
  for (const { raw, info, value, used } of reads) {
    if (!used) kept.keep(raw, info, value);
    kept.keepOriginal(raw, info);
  }
}
