// A needs.json that we wrote: what Sphinx-Needs has no field for stands in the field `pqrs` of each
// need, so that the graph is read back as it was. All of it is checked, since people edit files.
import { attributeValue, textValue } from './front-matter.ts';
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import {
  type AttributeValue,
  EDGE_TYPES,
  NODE_KINDS,
  type NodeKind,
  type SourceItem,
  type SourceLink,
} from './model.ts';
import { kindOf, recordOf, saysNothing } from './needs-json-fields.ts';
import type { EntryLines } from './needs-json-lines.ts';
import { criteriaIn, tagsOf } from './needs-json-texts.ts';

/** How a version of a needs.json names us as its creator. */
export const OWN_PROGRAM = 'pqrs';

/** What we add to a need. */
export interface OwnNeed {
  kind: NodeKind;
  active?: boolean;
  /** Whether the need's `type` is an attribute of the node. */
  typed?: boolean;
  /** The attributes that are fields of the need. */
  shown?: string[];
  /** Those that are not. */
  attributes?: Record<string, AttributeValue>;
  links?: OwnLink[];
}

/** What we add to the link at an index of a field. */
export interface OwnLink {
  field: string;
  at: number;
  suspect?: boolean;
  attributes?: Record<string, AttributeValue>;
}

/** Fields that a need has of itself. */
const NEED_FIELDS = new Set(
  'id type title full_title content description status priority tags rationale acceptance docname sections section_name parent_need parent_needs parts is_need is_part lineno links pqrs constraints jinja_content'.split(
    ' ',
  ),
);

/** Whether an attribute may be a field of a need as it is, and a name of a link field. */
export function isPlainName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/i.test(name) && !NEED_FIELDS.has(name) && name.length <= 60;
}

/** Whether a version of a needs.json is one that we wrote. */
export function isOwnVersion(
  version: ReadonlyMap<string, JsonMember>,
  document: JsonDocument,
): boolean {
  const creator = version.get('creator');
  return creator !== undefined && recordOf(document.value(creator))?.program === OWN_PROGRAM;
}

/** What a link field of ours stands for; `reversed` where it is at the need that links run to. */
interface OwnField {
  type: SourceLink['type'];
  role: string | undefined;
  reversed: boolean;
}

/** What each of our link fields stands for, by its name. */
export type OwnFields = ReadonlyMap<string, OwnField>;

/** Reads the link fields that the schema of a version names. */
export function ownFields(
  version: ReadonlyMap<string, JsonMember>,
  document: JsonDocument,
): OwnFields {
  const member = version.get('needs_schema');
  const properties = recordOf(recordOf(member && document.value(member))?.properties) ?? {};
  return new Map(
    Object.entries(properties).flatMap(([name, property]) => {
      const { type, role, reversed } = recordOf(recordOf(property)?.['x-pqrs']) ?? {};
      const known = EDGE_TYPES.find((one) => one === type);
      if (known === undefined || known === 'contains') return [];
      const said = typeof role === 'string' ? role : undefined;
      return [[name, { type: known, role: said, reversed: reversed === true }] as const];
    }),
  );
}

/** What we write of each need, beside its links and its attributes. */
const WRITTEN = new Set(
  'id type title content status tags priority rationale acceptance docname lineno parent_need pqrs'.split(
    ' ',
  ),
);

/**
 * The item of a need of ours, whose texts are taken as they stand; its parent comes later. Fields that
 * others have added are attributes.
 */
export function ownItem(
  id: string,
  values: Readonly<Record<string, unknown>>,
  fields: OwnFields,
  path: string,
  line: number,
): SourceItem {
  const own = recordOf(values.pqrs) ?? {};
  const type = textOf(values.type);
  const attributes: [string, AttributeValue][] = [];
  if (own.typed === true) attributes.push(['type', type]);
  const shown = new Set<unknown>(Array.isArray(own.shown) ? own.shown : []);
  for (const [name, value] of Object.entries(values)) {
    const isAdded = !WRITTEN.has(name) && !fields.has(name) && !saysNothing(name, value);
    if (shown.has(name) || isAdded) attributes.push([name, attributeValue(value)]);
  }
  for (const [name, value] of Object.entries(recordOf(own.attributes) ?? {})) {
    attributes.push([name, attributeValue(value)]);
  }
  const { tags, acceptance } = values;
  return {
    ...{ id, kind: NODE_KINDS.find((kind) => kind === own.kind) ?? kindOf(type) },
    ...{ title: textOf(values.title), statement: textOf(values.content) },
    acceptance: Array.isArray(acceptance) ? textsOf(acceptance) : criteriaIn(textOf(acceptance)),
    ...{ rationale: nullableText(values.rationale), status: nullableText(values.status) },
    ...{ priority: nullableText(values.priority), attributes: Object.fromEntries(attributes) },
    tags: Array.isArray(tags) ? textsOf(tags) : tagsOf(tags),
    ...{ path, line, parentId: null, active: own.active !== false },
  };
}

/** The links of a need of ours, each target as it stands. */
export function ownLinks(
  need: {
    id: string;
    values: Readonly<Record<string, unknown>>;
    line: number;
    lineOf: EntryLines;
  },
  fields: OwnFields,
  path: string,
): SourceLink[] {
  const { id, values, lineOf } = need;
  const item = { id, path, line: need.line };
  const said = new Map<string, Record<string, unknown>>();
  const { links } = recordOf(values.pqrs) ?? {};
  for (const link of Array.isArray(links) ? links : []) {
    const one = recordOf(link);
    if (one) said.set(`${one.at} ${one.field}`, one);
  }
  return Object.keys(values).flatMap((name) => {
    const field = fields.get(name);
    if (!field) return [];
    const { type, role, reversed } = field;
    return textsOf(values[name]).map((other, at): SourceLink => {
      const { suspect, attributes } = said.get(`${at} ${name}`) ?? {};
      const more = Object.entries(recordOf(attributes) ?? {}).map(
        ([key, value]) => [key, attributeValue(value)] as const,
      );
      return {
        ...(reversed ? { from: other, to: id } : { from: id, to: other }),
        ...{ type, path, line: lineOf(name, at), item },
        ...(role === undefined ? {} : { role }),
        ...(suspect === true ? { suspect } : {}),
        ...(more.length > 0 ? { attributes: Object.fromEntries(more) } : {}),
      };
    });
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (textValue(value) ?? '');
}

function nullableText(value: unknown): string | null {
  return value === null || value === undefined ? null : textOf(value);
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((one: unknown) => textOf(one));
}
