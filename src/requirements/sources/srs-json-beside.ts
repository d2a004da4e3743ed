// What nodes and edges of the format `pqrs-srs` say that is not kept.
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import type { FileNotes } from './source-result.ts';
import { computedFaults, SRS_FIELDS, type SrsEdge, type SrsPlace } from './srs-json-schema.ts';

const PLACE_FIELDS = new Set<string>(SRS_FIELDS.place);

/** Notes what a place says that the format does not know. */
export function notePlace(
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

/** Notes what can be none of the values that the graph computes of a node. */
export function noteComputed(
  members: readonly JsonMember[],
  node: unknown,
  id: string,
  document: JsonDocument,
  notes: FileNotes,
): void {
  for (const { name, fault } of computedFaults(node)) {
    const at = members.findLast(({ key }) => key === name)?.at ?? 0;
    const detail = `${id}: "${name}" ${fault}; it is computed again, and what is given is not kept.`;
    notes.note('invalid_field', document.line(at), detail, { itemId: id });
  }
}

/** Notes what an edge of the type `contains` says beside its ends: the graph has no place for it. */
export function noteUnkept(
  { from, to, status = 'ok', role, attributes = {}, source }: SrsEdge,
  members: readonly JsonMember[],
  document: JsonDocument,
  notes: FileNotes,
): void {
  const said = {
    ...{ status: status !== 'ok', role: role !== undefined, source: source !== undefined },
    attributes: Object.keys(attributes).length > 0,
  };
  for (const [field, isSaid] of Object.entries(said)) {
    const member = isSaid && members.findLast(({ key }) => key === field);
    if (!member) continue;
    const detail = `${from} to ${to}: "${field}" of an edge of the type contains is not kept.`;
    notes.lose('unknown_field', document.line(member.at), detail, {
      ...{ itemId: to, relatedIds: [from] },
    });
  }
}
