// Reads our own format, `pqrs-srs`: the graph as the export writes it, or as a person or a program
// writes it by hand.
import { type JsonDocument, noteFields, noteInnerRepeats, openJson } from './json-document.ts';
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
import {
  asEdge,
  asNode,
  COMPUTED_FIELDS,
  SRS_FIELDS,
  SRS_FORMAT,
  SRS_VERSION,
  type SrsPlace,
} from './srs-json-schema.ts';
import { idFault, shownId } from './usable-id.ts';

const TOP_FIELDS = new Set<string>(SRS_FIELDS.document);
const NODE_FIELDS = new Set<string>([...SRS_FIELDS.node, ...COMPUTED_FIELDS]);
const EDGE_FIELDS = new Set<string>(SRS_FIELDS.edge);
const PLACE_FIELDS = new Set<string>(SRS_FIELDS.place);

/** A `contains` edge, kept until all nodes are known. */
interface Containment {
  parent: string;
  child: string;
  line: number;
  notes: FileNotes;
}

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
  const leftOut = new Set<string>();
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
    for (const member of document.members(edges.start)) {
      const link = readEdge(member, document, notes, { items, leftOut, containments });
      if (link) result.links.push(link);
    }
  }
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

/** @param leftOut - takes the id of a node that is left out for it */
function readNode(
  member: JsonMember,
  document: JsonDocument,
  notes: FileNotes,
  leftOut: Set<string>,
): SourceItem | undefined {
  const line = document.line(member.start);
  const read = document.value(member);
  const named = textIn(read, 'id');
  const wrong = named === null ? undefined : idFault(named);
  if (named !== null && wrong !== undefined) {
    leftOut.add(named);
    const detail = `The node is left out: id ${wrong}, and is ${shownId(named)}; its links go with it.`;
    notes.lose('invalid_id', line, detail, { severity: 'error' });
    return undefined;
  }
  const checked = asNode(read);
  if ('fault' in checked) {
    notes.lose('invalid_item', line, `The node is left out: ${checked.fault}.`, {
      severity: 'error',
      itemId: idOf(read, 'id'),
    });
    return undefined;
  }
  const value = checked.node;
  const members = document.members(member.start);
  noteFields(members, NODE_FIELDS, value.id, document, notes);
  noteInnerRepeats(members, value, value.id, document, notes, value.id);
  notePlace(members, value.source, value.id, document, notes);
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
    ...(source.path === notes.path ? {} : { givenBy: notes.path }),
    parentId: null,
    active: value.active ?? true,
  };
}

/** Notes what a place says that the format does not know. */
function notePlace(
  members: readonly JsonMember[],
  place: SrsPlace | undefined,
  owner: string,
  document: JsonDocument,
  notes: FileNotes,
): void {
  // To look for the fields costs more than to see that there are no others.
  if (place === undefined || Object.keys(place).every((key) => PLACE_FIELDS.has(key))) return;
  const member = members.findLast(({ key }) => key === 'source');
  for (const { key, at } of member ? document.members(member.start) : []) {
    if (PLACE_FIELDS.has(key)) continue;
    const detail = `${owner}: ${JSON.stringify(key)} of "source" is not read.`;
    notes.lose('unknown_field', document.line(at), detail);
  }
}

/** What is known of a document when its edges are read. */
interface EdgesUnder {
  items: ReadonlyMap<string, SourceItem>;
  /** Ids that are none: their nodes were told of already. */
  leftOut: ReadonlySet<string>;
  /** Takes what contains what. */
  containments: Containment[];
}

/** A link, with the node of the document that it is from; `contains` is kept apart. */
function readEdge(
  member: JsonMember,
  document: JsonDocument,
  notes: FileNotes,
  { items, leftOut, containments }: EdgesUnder,
): SourceLink | undefined {
  const line = document.line(member.start);
  const read = document.value(member);
  if (leftOut.has(textIn(read, 'from') ?? '') || leftOut.has(textIn(read, 'to') ?? '')) {
    return undefined;
  }
  const checked = asEdge(read);
  if ('fault' in checked) {
    notes.lose('invalid_link', line, `The edge is left out: ${checked.fault}.`, {
      severity: 'error',
      itemId: idOf(read, 'from'),
    });
    return undefined;
  }
  const value = checked.edge;
  const { from, to, type, status, role } = value;
  const members = document.members(member.start);
  noteFields(members, EDGE_FIELDS, `${from} to ${to}`, document, notes);
  noteInnerRepeats(members, value, `${from} to ${to}`, document, notes, from);
  notePlace(members, value.source, `${from} to ${to}`, document, notes);
  if (type === 'contains') {
    containments.push({ parent: from, child: to, line, notes });
    return undefined;
  }
  const place = value.source ?? { path: notes.path, line };
  const item = items.get(from);
  const attributes = exactAttributes(value, members, document);
  return {
    ...{ from, to, type, ...place },
    ...(item && { item }),
    ...(status === 'suspect' ? { suspect: true } : {}),
    ...(role === undefined ? {} : { role }),
    ...(attributes === undefined ? {} : { attributes }),
  };
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

/** Gives each node the node that contains it: the first that says so, and none in a circle. */
function placeChildren(items: readonly SourceItem[], containments: readonly Containment[]): void {
  const byId = Map.groupBy(items, (item) => item.id);
  const parents = new Map<string, string>();
  for (const { parent, child, line, notes } of containments) {
    const known = parents.get(child);
    const reason = !byId.has(child)
      ? `There is no ${child} for ${parent} to contain.`
      : !byId.has(parent)
        ? `${child} is said to be in ${parent}, which is not there.`
        : known !== undefined && known !== parent
          ? `${child} is in ${known} already; it cannot be in ${parent} too.`
          : null;
    if (reason === null) parents.set(child, parent);
    else notes.lose('invalid_parent', line, reason, { itemId: child, relatedIds: [parent] });
  }
  for (const { parent, child, line, notes } of circles(parents, containments)) {
    parents.delete(child);
    const detail = `${child} would contain itself by way of ${parent}; it stands at the top instead.`;
    notes.lose('invalid_parent', line, detail, { itemId: child, relatedIds: [parent] });
  }
  for (const item of items) item.parentId = parents.get(item.id) ?? null;
}

/** One containment of each circle: the first that is written. */
function circles(
  parents: ReadonlyMap<string, string>,
  containments: readonly Containment[],
): Containment[] {
  const chosen = new Map<string, number>();
  containments.forEach(({ parent, child }, at) => {
    if (parents.get(child) === parent && !chosen.has(child)) chosen.set(child, at);
  });
  const walked = new Map<string, string>();
  const firsts: number[] = [];
  for (const start of parents.keys()) {
    let id: string | undefined = start;
    while (id !== undefined && !walked.has(id)) {
      walked.set(id, start);
      id = parents.get(id);
    }
    if (id === undefined || walked.get(id) !== start) continue;
    let first = chosen.get(id) ?? 0;
    for (let at = parents.get(id); at !== undefined && at !== id; at = parents.get(at)) {
      first = Math.min(first, chosen.get(at) ?? first);
    }
    firsts.push(first);
  }
  return firsts.sort((a, b) => a - b).flatMap((at) => containments[at] ?? []);
}

/** The id in a field; null where it has none, or one that cannot be an id. */
function idOf(value: unknown, field: 'id' | 'from'): string | null {
  const id = textIn(value, field);
  return id !== null && idFault(id) === undefined ? id : null;
}

function textIn(value: unknown, field: 'id' | 'from' | 'to'): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const text: unknown = Reflect.get(value, field);
  return typeof text === 'string' ? text : null;
}
