// Links that a needs.json tells at their targets alone: Sphinx-Needs writes each link at both ends, so
// that one without its other end is of a part of a project.
import { forwardOf, isEmpty, type NeedsSchema, readLink } from './needs-json-fields.ts';
import type { EntryLines } from './needs-json-lines.ts';
import type { NeedPart } from './needs-json-parts.ts';
import type { FileNotes } from './source-result.ts';

interface BackNeed {
  id: string;
  values: Record<string, unknown>;
  parts: readonly NeedPart[];
  lineOf: EntryLines;
}

/** A link as the need says it that has it; `to` is with the part where it names one. */
export interface SaidLink {
  from: string;
  to: string;
  field: string;
}

/** The links that the needs of all files say they have. */
export interface SaidLinks {
  add(link: SaidLink): void;
  has(link: SaidLink): boolean;
}

/** A list of no links. They are sorted out when the first is asked for. */
export function openSaidLinks(): SaidLinks {
  const added: SaidLink[] = [];
  let keys: Set<string> | undefined;
  return {
    add: (link) => void added.push(link),
    has(link) {
      keys ??= new Set(added.map(keyOf));
      return keys.has(keyOf(link));
    },
  };
}

/**
 * Tells of the links to needs and their parts that no need says it has.
 *
 * @param said - those that needs say they have
 * @param isId - whether an id is that of a need
 */
export function noteBackLinks(
  needs: readonly BackNeed[],
  said: SaidLinks,
  isId: (id: string) => boolean,
  schema: NeedsSchema,
  notes: FileNotes,
): void {
  const check = (
    need: BackNeed,
    target: string,
    name: string,
    value: unknown,
    place: [field: string, at: number],
  ) => {
    const field = forwardOf(name, schema);
    if (field === null || isEmpty(value)) return;
    const lose = (detail: string, relatedIds: string[] = []) =>
      notes.lose('invalid_reference', need.lineOf(...place), detail, {
        ...{ itemId: need.id, relatedIds },
      });
    const link = typeof value === 'string' ? readLink(value, isId) : null;
    if (!link) {
      lose(`${name} of ${target} names no need: ${JSON.stringify(value).slice(0, 200)}`);
      return;
    }
    if (said.has({ from: link.id, field, to: target })) return;
    const why = isId(link.id) ? `does not say so in ${field}` : 'is not in the file';
    lose(`${name} of ${target} names ${link.id}, which ${why}.`, [link.id]);
  };
  for (const need of needs) {
    for (const [name, value] of Object.entries(need.values)) {
      if (forwardOf(name, schema) === null) continue;
      for (const [at, entry] of entriesOf(value)) {
        check(need, need.id, name, entry, [name, at]);
      }
    }
    for (const [place, { id, back }] of need.parts.entries()) {
      for (const [name, value] of back) {
        for (const [, entry] of entriesOf(value)) {
          check(need, `${need.id}.${id}`, name, entry, ['parts', place]);
        }
      }
    }
  }
}

function entriesOf(value: unknown): Iterable<[number, unknown]> {
  return (Array.isArray(value) ? value : [value]).entries();
}

function keyOf({ from, field, to }: SaidLink): string {
  return JSON.stringify([from, field, to]);
}
