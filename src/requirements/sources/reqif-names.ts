// The names by which ReqIF files say what an attribute means (the system attributes of the ReqIF
// implementation guide and what tools use beside them), and the identifiers that mark the files we
// write ourselves.

/** Namespaces of ReqIF 1.x: the published one, and that of its drafts, which RMF writes. */
export const REQIF_NAMESPACES: ReadonlySet<string> = new Set([
  'http://www.omg.org/spec/ReqIF/20110401/reqif.xsd',
  'http://www.omg.org/spec/ReqIF/20110401',
  'http://www.omg.org/spec/ReqIF/20101201/reqif.xsd',
  'http://www.omg.org/spec/ReqIF/20101201',
]);

export const XHTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

/** What every identifier that our own writer makes up begins with. */
export const OWN_PREFIX = 'pqrs.';

/** Identifiers in the files that we write, by which the reader takes them back unchanged. */
export const OWN = {
  /** A STRING that holds a list: one entry a line, `\` escaped. */
  listDatatype: `${OWN_PREFIX}datatype.list`,
  /** A STRING that holds JSON. */
  jsonDatatype: `${OWN_PREFIX}datatype.json`,
  /** `<this><kind>` or `<this><kind>.<name>`: types of objects. */
  type: `${OWN_PREFIX}type.`,
  /** `<this><role>.<type>`: attributes with a meaning of ours. */
  role: `${OWN_PREFIX}role.`,
  /** `<this><type>.<name>`: attributes whose name is one that XML cannot hold. */
  name: `${OWN_PREFIX}name.`,
  /** `<this><type>` or `<this><type>.<name>`: types of relations. */
  relation: `${OWN_PREFIX}relation.`,
  /** `<this><identifier>`: the DESC of a place that is too deep to stand below its parent. */
  parent: `${OWN_PREFIX}parent.`,
  /** The header of a document that we wrote. */
  header: `${OWN_PREFIX}header`,
  /** A specification that only holds what no document holds. */
  root: `${OWN_PREFIX}root.`,
} as const;

/** Any text as part of an `xsd:ID`, different texts differently, without a dot. */
export function encodeName(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);
}

/** The text of {@link encodeName}. */
export function decodeName(name: string): string {
  return name.replace(/_([0-9a-f]{1,4})_/g, (_, unit) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** What an attribute is for an item. `links` and `suspect` are in our own files only. */
export const ROLES = [
  'id',
  'title',
  'statement',
  'status',
  'priority',
  'rationale',
  'acceptance',
  'tags',
  'deleted',
  'links',
  'suspect',
] as const;
export type Role = (typeof ROLES)[number];

/** Names, folded, in the order of preference. */
const ROLE_NAMES: Partial<Record<Role, readonly string[]>> = {
  id: ['foreignid'],
  title: [
    'chaptername',
    'name',
    'objectheading',
    'heading',
    'title',
    'headline',
    'summary',
    'objectshorttext',
  ],
  statement: [
    'text',
    'objecttext',
    'primarytext',
    'statement',
    'requirementtext',
    'requirement',
    'description',
    'content',
    'contents',
  ],
  status: ['status', 'state', 'foreignstate', 'requirementstatus', 'reqstatus', 'objectstatus'],
  priority: ['priority', 'prio', 'importance'],
  rationale: ['rationale', 'reason', 'justification'],
  acceptance: ['acceptancecriteria', 'acceptancecriterion', 'acceptance'],
  tags: ['tags', 'labels', 'keywords'],
  deleted: ['foreigndeleted'],
};

/** Titles that make a heading of an object without text. */
const HEADING_RANKS: ReadonlySet<number> = new Set([0, 2, 3]);

const BY_NAME = new Map<string, { role: Role; rank: number }>();
for (const [role, names] of Object.entries(ROLE_NAMES)) {
  names.forEach((name, rank) => {
    BY_NAME.set(name, { role: role as Role, rank });
  });
}

/** A role, and the place of the name among those of the role: the least is preferred. */
export interface RankedRole {
  role: Role;
  rank: number;
}

/**
 * What an attribute means.
 *
 * @param identifier - of its definition
 * @param name - its LONG-NAME; undefined where the file does not declare it, and then the end of
 *   the identifier tells, as DOORS makes it (`..._OBJECTTEXT`)
 */
export function roleOf(identifier: string, name: string | undefined): RankedRole | undefined {
  if (identifier.startsWith(OWN_PREFIX)) {
    if (!identifier.startsWith(OWN.role)) return undefined;
    const role = identifier.slice(OWN.role.length).split('.', 1)[0];
    return ROLES.includes(role as Role) ? { role: role as Role, rank: 0 } : undefined;
  }
  const said = name ?? identifier.slice(identifier.lastIndexOf('_') + 1);
  return BY_NAME.get(
    said
      .toLowerCase()
      .replace(/^reqif\./, '')
      .replace(/[^\p{L}\p{N}]/gu, ''),
  );
}

/** Whether a title with this rank is that of a chapter. */
export function isHeadingRank(rank: number): boolean {
  return HEADING_RANKS.has(rank);
}

/** Whether an attribute of this name may stand for a text that the file does not mark as such. */
export function mayBeText(name: string): boolean {
  return !/foreign|creat|modif|author|owner|comment|note|date|\bby$|\bid$|identifier|prefix/i.test(
    name,
  );
}
