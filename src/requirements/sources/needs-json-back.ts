// Links that a needs.json tells at their targets alone: Sphinx-Needs writes each link at both ends, so
// that one without its other end is of a part of a project.
import { isBackField, type NeedsSchema, readLink } from './needs-json-fields.ts';
import type { EntryLines } from './needs-json-lines.ts';
import type { FileNotes } from './source-result.ts';

interface BackNeed {
  id: string;
  values: Record<string, unknown>;
  lineOf: EntryLines;
}

/**
 * Tells of the links to needs that no need says it has.
 *
 * @param links - those that were read, with their fields
 * @param isId - whether an id is that of a need of the file
 */
export function noteBackLinks(
  needs: readonly BackNeed[],
  links: readonly { from: string; to: string; field: string }[],
  isId: (id: string) => boolean,
  schema: NeedsSchema,
  notes: FileNotes,
): void {
  const fields = new Set(links.map(({ field }) => field)).add('links');
  let said: Set<string> | undefined;
  for (const { id, values, lineOf } of needs) {
    for (const [name, value] of Object.entries(values)) {
      const field = name.slice(0, -'_back'.length);
      if (!Array.isArray(value) || !name.endsWith('_back') || !fields.has(field)) continue;
      if (!isBackField(name, values, schema)) continue;
      for (const [at, entry] of value.entries()) {
        const link = typeof entry === 'string' ? readLink(entry, isId) : null;
        if (!link) continue;
        said ??= new Set(links.map((one) => JSON.stringify([one.from, one.field, one.to])));
        if (said.has(JSON.stringify([link.id, field, id]))) continue;
        const why = isId(link.id) ? `does not say so in ${field}` : 'is not in the file';
        const detail = `${name} of ${id} names ${link.id}, which ${why}.`;
        const parts = { itemId: id, relatedIds: [link.id] };
        notes.lose('invalid_reference', lineOf(name, at), detail, parts);
      }
    }
  }
}
