// Reads our own format, `pqrs-srs`: the graph as the export writes it, or as a person or a program
// writes it by hand.
import { type JsonDocument, noteFields, noteInnerRepeats, openJson } from './json-document.ts';
import { type NoteRepeat, openRepeats } from './json-link-repeats.ts';
import type { JsonMember } from './json-text.ts';
import type {
  AttributeValue,
  SourceFile,
  SourceItem,
  SourceLink,
  SourceReader,
  SourceResult,
} from './model.ts';
import { byPath, emptyResult, type FileNotes, inOrder, notesOn } from './source-result.ts';
import { noteComputed, notePlace, noteUnkept } from './srs-json-beside.ts';
import { type Containment, placeChildren } from './srs-json-containment.ts';
import { type LeftOutNodes, openLeftOutNodes } from './srs-json-left-out.ts';
import {
  asEdge,
  asNode,
  COMPUTED_FIELDS,
  SRS_FIELDS,
  SRS_FORMAT,
  SRS_VERSION,
} from './srs-json-schema.ts';
import { idFault, shownId } from './usable-id.ts';

const TOP_FIELDS = new Set<string>(SRS_FIELDS.document);
const NODE_FIELDS = new Set<string>([...SRS_FIELDS.node, ...COMPUTED_FIELDS]);
const EDGE_FIELDS = new Set<string>(SRS_FIELDS.edge);

/** Reads documents of the format `pqrs-srs`. A node or edge that is not to its schema is left out. */
export const readSrsJson: SourceReader = (files) => {
  const result = emptyResult();
  const containments: Containment[] = [];
  const open: FileNotes[] = [];
  for (const file of byPath(files)) {
    const notes = notesOn(result, file.path);
    open.push(notes);
    readFile(file, result, containments, notes);
  }
  placeChildren(result.items, containments);
  for (const notes of open) notes.finish();
  return { ...result, items: inOrder(result.items) };
};

function readFile(
  file: SourceFile,
  result: SourceResult,
  containments: Containment[],
  notes: FileNotes,
): void {
  const document = openJson(file, notes);
  if (!document) return;
  const top = document.members();
  const last = new Map(top.map((member) => [member.key, member]));
  if (!isSrs(document, last, notes)) return;
  noteFields(top, TOP_FIELDS, 'The document', document, notes);
  const nodes = last.get('nodes');
  const edges = last.get('edges');
  const items = new Map<string, SourceItem>();
  const leftOut = openLeftOutNodes();
  if (nodes && document.isArray(nodes)) {
    for (const [order, member] of document.members(nodes.start).entries()) {
      const read = readNode(member, document, notes, leftOut);
      if (!read) continue;
      const item = { ...read, order };
      result.items.push(item);
      if (!items.has(item.id)) items.set(item.id, item);
    }
  }
  if (edges && document.isArray(edges)) {
    const under = { items, leftOut, containments, noteRepeat: openRepeats(notes) };
    for (const member of document.members(edges.start)) {
      const link = readEdge(member, document, notes, under);
      if (link) result.links.push(link);
    }
  }
  leftOut.tell(notes);
}

function isSrs(
  document: JsonDocument,
  top: ReadonlyMap<string, JsonMember>,
  notes: FileNotes,
): boolean {
  const valueIn = (key: string) => {
    const member = top.get(key);
    return member && document.value(member);
  };
  const lineOf = (key: string) => document.line(top.get(key)?.at ?? 0);
  const format = valueIn('format');
  const version = valueIn('version');
  if (format !== SRS_FORMAT) {
    notes.fail(lineOf('format'), `The format must be "${SRS_FORMAT}".`);
  } else if (version !== SRS_VERSION) {
    notes.fail(lineOf('version'), `The version must be ${SRS_VERSION}.`);
  } else {
    for (const key of ['nodes', 'edges']) {
      const member = top.get(key);
      if (!member) {
        notes.lose('missing_field', 1, `The document has no "${key}".`);
      } else if (!document.isArray(member)) {
        notes.lose('invalid_field', lineOf(key), `"${key}" must be an array.`);
      }
    }
    return true;
  }
  return false;
}

/** @param leftOut - takes a node that is none */
function readNode(
  member: JsonMember,
  document: JsonDocument,
  notes: FileNotes,
  leftOut: LeftOutNodes,
): SourceItem | undefined {
  const line = document.line(member.start);
  const read = document.value(member);
  const named = textIn(read, 'id');
  const wrong = named === null ? undefined : idFault(named);
  if (named !== null && wrong !== undefined) {
    const detail = `The node is left out: id ${wrong}, and is ${shownId(named)}`;
    leftOut.add({ code: 'invalid_id', line, detail, itemId: null }, named);
    return undefined;
  }
  const checked = asNode(read);
  if ('fault' in checked) {
    const detail = `The node is left out: ${checked.fault}`;
    leftOut.add({ code: 'invalid_item', line, detail, itemId: named }, named);
    return undefined;
  }
  const value = checked.node;
  const members = document.members(member.start);
  noteFields(members, NODE_FIELDS, value.id, document, notes);
  noteInnerRepeats(members, value, value.id, document, notes, value.id);
  notePlace(members, value.source, value.id, document, notes);
  noteComputed(members, read, value.id, document, notes);
  const source = value.source ?? { path: notes.path, line };
  return {
    id: value.id,
    kind: value.kind,
    title: value.title ?? '',
    statement: value.statement ?? '',
    acceptance: value.acceptance ?? [],
    rationale: value.rationale ?? null,
    status: value.status ?? null,
    priority: value.priority ?? null,
    tags: value.tags ?? [],
    attributes: exactAttributes(value, members, document) ?? {},
    path: source.path,
    line: source.line,
    ...(source.path === notes.path ? {} : { givenBy: notes.path, among: notes.path }),
    parentId: null,
    active: value.active ?? true,
  };
}

/** What is known of a document when its edges are read. */
interface EdgesUnder {
  items: ReadonlyMap<string, SourceItem>;
  leftOut: LeftOutNodes;
  /** Takes what contains what. */
  containments: Containment[];
  noteRepeat: NoteRepeat;
}

/** A link, with the node of the document that it is from; `contains` is kept apart. */
function readEdge(
  member: JsonMember,
  document: JsonDocument,
  notes: FileNotes,
  { items, leftOut, containments, noteRepeat }: EdgesUnder,
): SourceLink | undefined {
  const line = document.line(member.start);
  const read = document.value(member);
  const gone = [textIn(read, 'from'), textIn(read, 'to')].find(leftOut.isNoId);
  const checked = asEdge(gone === undefined ? read : withIds(read, leftOut));
  if ('fault' in checked) {
    notes.lose('invalid_link', line, `The edge is left out: ${checked.fault}.`, {
      severity: 'error',
      itemId: idOf(read),
    });
    return undefined;
  }
  if (gone !== undefined) {
    leftOut.takeEdge(gone);
    return undefined;
  }
  const value = checked.edge;
  const { from, to, type, status, role } = value;
  const members = document.members(member.start);
  noteFields(members, EDGE_FIELDS, `${from} to ${to}`, document, notes);
  noteInnerRepeats(members, value, `${from} to ${to}`, document, notes, from);
  notePlace(members, value.source, `${from} to ${to}`, document, notes);
  if (type === 'contains') {
    noteUnkept(value, members, document, notes);
    noteRepeat({ from, to, type }, line);
    containments.push({ parent: from, child: to, line, notes });
    return undefined;
  }
  if (!items.has(from) && leftOut.has(from)) {
    leftOut.takeEdge(from);
    return undefined;
  }
  const place = value.source ?? { path: notes.path, line };
  const item = items.get(from);
  const attributes = exactAttributes(value, members, document);
  noteRepeat({ from, to, type, role, attributes }, line);
  return {
    ...{ from, to, type, ...place },
    ...(item && { item }),
    ...(status === 'suspect' ? { suspect: true } : {}),
    ...(role === undefined ? {} : { role }),
    ...(attributes === undefined ? {} : { attributes }),
  };
}

/** An edge as it would be if the nodes that are left out for their ids had ids. */
function withIds(read: unknown, leftOut: LeftOutNodes): unknown {
  const ends = (['from', 'to'] as const).filter((end) => leftOut.isNoId(textIn(read, end)));
  return { ...(read as object), ...Object.fromEntries(ends.map((end) => [end, 'id'])) };
}

/** The attributes of a node or an edge, where numbers that would be rounded are texts. */
function exactAttributes(
  { attributes }: Pick<SourceLink, 'attributes'>,
  members: readonly JsonMember[],
  document: JsonDocument,
): Record<string, AttributeValue> | undefined {
  if (attributes === undefined || !document.rounds) return attributes;
  const member = members.findLast(({ key }) => key === 'attributes');
  return member && (document.exactValue(member) as Record<string, AttributeValue>);
}

/** The id that an edge is from; null where it has none, or one that cannot be an id. */
function idOf(edge: unknown): string | null {
  const id = textIn(edge, 'from');
  return id !== null && idFault(id) === undefined ? id : null;
}

function textIn(value: unknown, field: 'id' | 'from' | 'to'): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const text: unknown = Reflect.get(value, field);
  return typeof text === 'string' ? text : null;
}
