// The names by which ReqIF files mark what an attribute means: the system attributes of the ReqIF
// implementation guide, and what tools use beside them.

export type Role =
  | 'id'
  | 'title'
  | 'statement'
  | 'status'
  | 'priority'
  | 'rationale'
  | 'acceptance'
  | 'tags'
  | 'deleted'
  | 'suspect';

/** Names, folded, in the order of preference. */
const NAMES: Record<Role, string> = {
  id: 'foreignid',
  title: 'chaptername name objectheading heading title headline summary objectshorttext',
  statement:
    'text objecttext primarytext statement requirementtext requirement description content contents',
  status: 'status state foreignstate requirementstatus reqstatus objectstatus',
  priority: 'priority prio importance',
  rationale: 'rationale reason justification',
  acceptance: 'acceptancecriteria acceptancecriterion acceptance',
  tags: 'tags labels keywords',
  deleted: 'foreigndeleted',
  suspect: 'suspect',
};

export interface RankedRole {
  role: Role;
  rank: number;
}

const BY_NAME = new Map<string, RankedRole>(
  Object.entries(NAMES).flatMap(([role, names]) =>
    names
      .split(' ')
      .map((name, rank): [string, RankedRole] => [name, { role: role as Role, rank }]),
  ),
);

export function roleOf(name: string): RankedRole | undefined {
  const known = BY_NAME.get(folded(name));
  // Of two such names that of the guide is preferred.
  if (known) return name.startsWith('ReqIF.') ? { ...known, rank: known.rank - 0.5 } : known;
  if (!mayBeText(name)) return undefined;
  return /(?:^|[^\p{L}])(?:text|description|statement)(?:$|[^\p{L}])/iu.test(name)
    ? { role: 'statement', rank: 100 }
    : undefined;
}

export function isHeading(name: string): boolean {
  return /^(?:chaptername|objectheading|heading)$/.test(folded(name));
}

/** Whether an attribute of this name may be a text that the file does not mark as such. */
export function mayBeText(name: string): boolean {
  return !/foreign|creat|modif|author|owner|comment|note|date|\bby$|\bid$|identifier|prefix/i.test(
    name,
  );
}

function folded(name: string): string {
  return name
    .toLowerCase()
    .replace(/^reqif\./, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
