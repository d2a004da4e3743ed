// Fingerprints of nodes. `f1.<profile>:` names the algorithm and the fields that it covers, so that
// a stored fingerprint can be compared with today's node recomputed the same way.
import { hash } from 'node:crypto';
import type { EdgeType } from '../sources/model.ts';
import { stronglyConnected } from './components.ts';

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

/** Edges along which a change travels. */
export const UPSTREAM: ReadonlySet<EdgeType> = new Set(['refines', 'derives', 'depends']);

export interface FingerprintSubject {
  id: string;
  kind: string;
  title: string;
  statement: string;
  acceptance: readonly string[];
  rationale: string | null;
  priority: string | null;
  tags: readonly string[];
}

export type UpstreamLink = readonly [type: string, id: string];

/** The prefix of fingerprints over some fields, such as `f1.ktsal:`. */
export function fingerprintPrefix(fields: readonly NormativeField[]): string {
  const chosen = new Set(fields);
  const letters = (Object.keys(LETTERS) as NormativeField[]).filter((field) => chosen.has(field));
  return `f1.${letters.map((field) => LETTERS[field]).join('')}:`;
}

/** The fields that a fingerprint's prefix names; undefined for a prefix of no known algorithm. */
export function fieldsOfPrefix(fingerprint: string): NormativeField[] | undefined {
  const letters = /^[fd]1\.([ktsalrpg]+):/.exec(fingerprint)?.[1];
  if (letters === undefined) return undefined;
  return (Object.keys(LETTERS) as NormativeField[]).filter((field) =>
    letters.includes(LETTERS[field]),
  );
}

/**
 * Makes the function that gives a node's fingerprint: SHA-256 over the canonical JSON (RFC 8785) of
 * its normative content, texts in NFC with their white space folded.
 *
 * @returns a function of a node and its outgoing refines, derives and depends edges, in any order
 */
export function fingerprinter(
  fields: readonly NormativeField[],
): (node: FingerprintSubject, links: readonly UpstreamLink[]) => string {
  const prefix = fingerprintPrefix(fields);
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const keys = [...new Set(fields)].sort();
  return (node, links) => {
    const content: Record<string, unknown> = {};
    for (const key of keys) content[key] = normativeValue(node, links, key);
    return prefix + digest(JSON.stringify(content));
  };
}

function normativeValue(
  node: FingerprintSubject,
  links: readonly UpstreamLink[],
  field: NormativeField,
): unknown {
  switch (field) {
    case 'acceptance':
      return node.acceptance.map(foldText);
    case 'links':
      return [...links].sort(compareLinks);
    case 'tags':
      return node.tags.map(foldText).sort();
    default: {
      const text = node[field];
      return text === null ? null : foldText(text);
    }
  }
}

export function fingerprintOf(
  node: FingerprintSubject,
  links: readonly UpstreamLink[],
  fields: readonly NormativeField[],
): string {
  return fingerprinter(fields)(node, links);
}

/**
 * The deep fingerprints of nodes: each one's fingerprint with the deep fingerprints of all that it
 * refines, derives from or depends on. Members of a cycle share one, over their fingerprints and
 * the deep fingerprints outside. Linear in nodes and edges.
 *
 * @param fingerprints - of each node
 * @param targets - indexes of the nodes that each depends on
 */
export function deepFingerprints(
  fingerprints: readonly string[],
  targets: readonly (readonly number[])[],
): string[] {
  const deep = new Array<string>(fingerprints.length);
  const all = fingerprints.map((_, at) => at);
  refreshDeepFingerprints(deep, fingerprints, targets, all);
  return deep;
}

/**
 * Makes some deep fingerprints anew, in place.
 *
 * @param deep - of each node; those that are not made anew must be right
 * @param changed - the nodes to make anew: with a node all that rest on it. Linear in them and
 *   their edges.
 */
export function refreshDeepFingerprints(
  deep: string[],
  fingerprints: readonly string[],
  targets: readonly (readonly number[])[],
  changed: readonly number[],
): void {
  const prefix = `d1.${/^f1\.([a-z]*):/.exec(fingerprints[0] ?? '')?.[1] ?? ''}:`;
  const whole = changed.length === fingerprints.length;
  const place = whole ? undefined : new Map(changed.map((node, at) => [node, at]));
  const among = place
    ? changed.map((node) => (targets[node] ?? []).flatMap((target) => place.get(target) ?? []))
    : targets;
  // Components come with what they depend on first, so that is known when it is needed.
  for (const component of stronglyConnected(among)) {
    const members = whole ? component : component.map((at) => changed[at] ?? 0);
    const [only] = members;
    if (members.length === 1 && only !== undefined) {
      const above = (targets[only] ?? []).filter((target) => target !== only);
      const outside = above.map((target) => deep[target] ?? '');
      deep[only] = prefix + digest(deepContent([fingerprints[only] ?? ''], outside));
      continue;
    }
    const inside = new Set(members);
    const outside = new Set<string>();
    for (const member of members) {
      for (const target of targets[member] ?? []) {
        if (!inside.has(target)) outside.add(deep[target] ?? '');
      }
    }
    const own = members.map((member) => fingerprints[member] ?? '').sort();
    const shared = prefix + digest(deepContent(own, [...outside]));
    for (const member of members) deep[member] = shared;
  }
}

function deepContent(own: readonly string[], above: readonly string[]): string {
  const sorted = above.length < 2 ? above : [...new Set(above)].sort();
  return JSON.stringify([own, sorted]);
}

const UNFOLDED = /[^\S ]\s*| \s+/g;

/** A text in NFC with runs of white space as one space, and none at its ends. */
export function foldText(text: string): string {
  return text.normalize('NFC').replace(UNFOLDED, ' ').trim();
}

function compareLinks(a: UpstreamLink, b: UpstreamLink): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
}

function digest(text: string): string {
  return hash('sha256', text, 'hex');
}
