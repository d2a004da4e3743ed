// Fingerprints of nodes. `f1.<profile>:` names the algorithm and the fields that it covers, so that
// a stored fingerprint can be compared with today's node recomputed the same way.
import { hash } from 'node:crypto';
import { stronglyConnected, type UpstreamLink } from './graph-index.ts';
import { compare, type GraphNode } from './model.ts';

const LETTERS = {
  kind: 'k',
  title: 't',
  statement: 's',
  acceptance: 'a',
  links: 'l',
  rationale: 'r',
  priority: 'p',
  tags: 'g',
} as const;

export type NormativeField = keyof typeof LETTERS;
export const NORMATIVE_FIELDS = Object.keys(LETTERS) as NormativeField[];

type Subject = Pick<GraphNode, 'id' | Exclude<NormativeField, 'links'>>;

/** The prefix of fingerprints over some fields, such as `f1.ktsal:`. */
export function fingerprintPrefix(fields: readonly NormativeField[]): string {
  const letters = NORMATIVE_FIELDS.filter((field) => fields.includes(field)).map(
    (field) => LETTERS[field],
  );
  return `f1.${letters.join('')}:`;
}

/** The fields that a fingerprint's prefix names; undefined for a prefix of no known algorithm. */
export function fieldsOfPrefix(fingerprint: string): NormativeField[] | undefined {
  const letters = /^[fd]1\.([ktsalrpg]+):/.exec(fingerprint)?.[1];
  if (letters === undefined) return undefined;
  return NORMATIVE_FIELDS.filter((field) => letters.includes(LETTERS[field]));
}

/**
 * Makes the function that gives a node's fingerprint: SHA-256 over the canonical JSON (RFC 8785) of
 * its normative content, texts in NFC with their white space folded.
 * @returns a function of a node and its outgoing refines, derives and depends edges, in any order
 */
export function fingerprinter(
  fields: readonly NormativeField[],
): (node: Subject, links: readonly UpstreamLink[]) => string {
  const prefix = fingerprintPrefix(fields);
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const keys = [...new Set(fields)].sort();
  return (node, links) => {
    const content: Record<string, unknown> = {};
    for (const key of keys) content[key] = normativeValue(node, links, key);
    return prefix + digest(content);
  };
}

function normativeValue(node: Subject, links: readonly UpstreamLink[], field: NormativeField) {
  if (field === 'links')
    return links.toSorted((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  const value = node[field];
  if (!Array.isArray(value)) return value === null ? null : foldText(value);
  const folded = value.map(foldText);
  return field === 'tags' ? folded.sort() : folded;
}

/**
 * The deep fingerprints of nodes: each one's fingerprint with the deep fingerprints of all that it
 * refines, derives from or depends on. Members of a cycle share one, over their fingerprints and
 * the deep fingerprints outside. Linear in nodes and edges.
 * @param targets - the places of the nodes that each depends on
 */
export function deepFingerprints(
  fingerprints: readonly string[],
  targets: readonly (readonly number[])[],
): string[] {
  const deep = new Array<string>(fingerprints.length);
  refreshDeepFingerprints(deep, fingerprints, targets, targets.keys());
  return deep;
}

/**
 * Makes some deep fingerprints anew, in place.
 * @param deep - of each node; those that are not made anew must be right
 * @param targets - of the nodes to make anew alone
 * @param changed - the nodes to make anew: with a node all that rest on it
 */
export function refreshDeepFingerprints(
  deep: string[],
  fingerprints: readonly string[],
  targets: readonly (readonly number[] | undefined)[],
  changed: Iterable<number>,
): void {
  const prefix = `d1.${/^f1\.([a-z]*):/.exec(fingerprints[0] ?? '')?.[1] ?? ''}:`;
  // Components come with what they depend on first, so that is known when it is needed.
  for (const members of stronglyConnected(targets, changed)) {
    if (targets[members[0] ?? 0] === undefined) continue;
    const inside = members.length > 1 ? new Set(members) : undefined;
    const above: string[] = [];
    for (const member of members) {
      for (const target of targets[member] ?? []) {
        if (target !== member && !inside?.has(target)) above.push(deep[target] ?? '');
      }
    }
    const own = members.map((member) => fingerprints[member] ?? '').sort();
    const shared = prefix + digest([own, above.length < 2 ? above : [...new Set(above)].sort()]);
    for (const member of members) deep[member] = shared;
  }
}

const UNFOLDED = /[^\S ]\s*| \s+/g;

/** A text in NFC with runs of white space as one space, and none at its ends. */
export function foldText(text: string): string {
  return text.normalize('NFC').replace(UNFOLDED, ' ').trim();
}

function digest(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'hex');
}
