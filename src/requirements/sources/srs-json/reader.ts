// Reads our own format, `pqrs-srs`: the graph as the export writes it, or as a person or a program
// writes it by hand.
import { lossesOf, type Part, take, takeAll, takeText, takeWhole } from '../account.ts';
import { idFault } from '../item-ids.ts';
import {
  type SourceItem,
  type SourceLink,
  type SourceReader,
  type SourceResult,
  SRS_FORMAT,
  SRS_VERSION,
} from '../model.ts';
import { createNesting } from '../nesting.ts';
import {
  bareItem,
  byPath,
  emptyResult,
  type FileReport,
  inOrder,
  readOrFail,
  reportOn,
  textOf,
} from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseJson } from '../tree/json.ts';
import { plainOf } from '../tree/value.ts';
import { asEdge, asNode, COMPUTED_FIELDS, SRS_FIELDS, type SrsEdge } from './schema.ts';

interface Containment {
  edge: SrsEdge;
  line: number;
  report: FileReport;
}

/** Reads documents of the format `pqrs-srs`. A node or edge that is not to its schema is left out. */
export const readSrsJson: SourceReader = (files) => {
  const result = emptyResult();
  const containments: Containment[] = [];
  const open = byPath(files).map((file) => {
    const report = reportOn(result, file.path);
    const top = readOrFail(report, () => {
      const read = parseJson(textOf(file, report));
      readDocument(read, result, containments, report);
      return read;
    });
    return { top, report };
  });
  placeChildren(result.items, containments);
  for (const { top, report } of open) {
    if (top) report.reportLosses(lossesOf(top).values());
    report.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

function readDocument(
  top: Part,
  result: SourceResult,
  containments: Containment[],
  report: FileReport,
): void {
  const lineOf = (name: string) => top.parts.find((one) => one.name === name)?.line ?? 1;
  if (takeText(top, 'format') !== SRS_FORMAT)
    throw new SourceFault(lineOf('format'), `The format must be "${SRS_FORMAT}".`);
  if (takeText(top, 'version') !== String(SRS_VERSION))
    throw new SourceFault(lineOf('version'), `The version must be ${SRS_VERSION}.`);
  const items = new Map<string, SourceItem>();
  const leftOut = new Set<string | undefined>();
  for (const [order, part] of listIn(top, 'nodes', report).entries()) {
    const item = readNode(part, order, report);
    if (!item) {
      leftOut.add(part.parts.find(({ name }) => name === 'id')?.text);
      continue;
    }
    result.items.push(item);
    if (!items.has(item.id)) items.set(item.id, item);
  }
  for (const part of listIn(top, 'edges', report)) {
    const edge = readEdge(part, report);
    if (edge?.type === 'contains') containments.push({ edge, line: part.line, report });
    // That a node is left out says what becomes of its edges.
    else if (edge && (items.has(edge.from) || !leftOut.has(edge.from)))
      result.links.push(linkOf(edge, part.line, items.get(edge.from), report.path));
  }
}

function listIn(top: Part, name: string, report: FileReport): Part[] {
  const list = top.parts.find((one) => one.name === name);
  if (!list) report.report('missing_field', 1, `The document has no "${name}".`, { isLoss: true });
  else if (list.kind !== 'list') {
    takeWhole(list);
    report.report('invalid_value', list.line, `"${name}" must be a list.`, { isLoss: true });
  } else return takeAll(take(top, name));
  return [];
}

function membersOf(part: Part, names: readonly string[]): unknown {
  if (part.kind !== 'map') return plainOf(part);
  const entries = names.flatMap((name): [string, unknown][] => {
    const member = take(part, name);
    if (!member) return [];
    if (name === 'attributes') return [[name, plainOf(member)]];
    if (name === 'source') return [[name, membersOf(member, SRS_FIELDS.place)]];
    return [[name, plainOf(member, Number)]];
  });
  return Object.fromEntries(entries);
}

function readNode(part: Part, order: number, report: FileReport): SourceItem | undefined {
  const { line } = part;
  const { path } = report;
  const value = membersOf(part, SRS_FIELDS.node);
  const checked = asNode(value);
  if ('fault' in checked) {
    takeWhole(part);
    const { id } = Object(value) as { id?: unknown };
    const isNoId = typeof id === 'string' && idFault(id) !== undefined;
    const itemId = typeof id === 'string' && !isNoId ? id : null;
    const detail = `The node is left out: ${checked.fault}.`;
    report.report(isNoId ? 'invalid_id' : 'invalid_value', line, detail, { itemId, isLoss: true });
    return undefined;
  }
  part.name = 'node';
  for (const name of COMPUTED_FIELDS) take(part, name);
  const { source = { path, line }, ...said } = checked.value;
  return {
    ...bareItem({ ...said, title: '', ...source, parentId: null }),
    ...said,
    ...(source.path === path ? {} : { givenBy: path, among: path }),
    order,
  };
}

function readEdge(part: Part, report: FileReport): SrsEdge | undefined {
  const type = part.parts.find(({ name }) => name === 'type')?.text;
  // What else one that contains says has no place in the graph.
  const names = type === 'contains' ? ['from', 'to', 'type'] : SRS_FIELDS.edge;
  const value = membersOf(part, names);
  const checked = asEdge(value);
  if ('fault' in checked) {
    takeWhole(part);
    const { from } = Object(value) as { from?: unknown };
    const itemId = typeof from === 'string' && idFault(from) === undefined ? from : null;
    const detail = `The edge is left out: ${checked.fault}.`;
    report.report('invalid_link', part.line, detail, { itemId, isLoss: true });
    return undefined;
  }
  part.name = 'edge';
  const status = part.parts.find(({ name, kept }) => name === 'status' && !kept);
  if (status?.text === 'ok') status.kept = true;
  return checked.value;
}

function linkOf(
  { from, to, type, status, role, attributes, source }: SrsEdge,
  line: number,
  item: SourceItem | undefined,
  path: string,
): SourceLink {
  return {
    from,
    to,
    type: type as SourceLink['type'],
    ...(source ?? { path, line }),
    ...(item && { item }),
    ...(status === 'suspect' ? { suspect: true } : {}),
    ...(role === undefined ? {} : { role }),
    ...(attributes === undefined ? {} : { attributes }),
  };
}

function placeChildren(items: readonly SourceItem[], containments: readonly Containment[]): void {
  const byId = Map.groupBy(items, (item) => item.id);
  const parents = new Map<string, string>();
  const nest = createNesting();
  for (const { edge, line, report } of containments) {
    const { from: parent, to: child } = edge;
    const known = parents.get(child);
    const fault = !byId.has(child)
      ? `There is no ${child} for ${parent} to contain.`
      : !byId.has(parent)
        ? `${child} is said to be in ${parent}, which is not there.`
        : known !== undefined && known !== parent
          ? `${child} is in ${known} already; it cannot be in ${parent} too.`
          : nest(child, parent)
            ? null
            : `${child} would contain itself by way of ${parent}.`;
    if (fault === null) {
      parents.set(child, parent);
      for (const item of byId.get(child) ?? []) item.parentId = parent;
      continue;
    }
    const related = { itemId: child, relatedIds: [parent], isLoss: true };
    report.report('invalid_link', line, fault, related);
  }
}
