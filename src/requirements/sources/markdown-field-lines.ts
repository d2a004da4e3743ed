// Lines of a Markdown source with several fields, one behind the other: `**Status:** draft **Tags:** a`.
import { fieldLine } from './markdown-fields.ts';

/** A label in bold or in emphasis that is not at the beginning of its line. */
const LABEL = /(?<=\s)(\*{1,3}|_{1,3})[A-Za-z][A-Za-z ]{1,38}?(?::\1|\1\s?:)(?=\s|$)/g;
/** What may part two fields of a line. */
const SEPARATOR = /[|,;\u00b7\u2022\u2013\u2014-]$/;

/** The lines of a paragraph and where they stand; of a line with several fields, one for each. */
export function fieldsApart(
  lines: readonly string[],
  places: readonly number[],
): { lines: readonly string[]; places: readonly number[] } {
  if (!lines.some((line) => partsOf(line).length > 1)) return { lines, places };
  const parts = lines.flatMap((line, at) =>
    partsOf(line).map((part) => ({ part, place: places[at] ?? 0 })),
  );
  return { lines: parts.map(({ part }) => part), places: parts.map(({ place }) => place) };
}

function partsOf(line: string): string[] {
  // A label without a mark is told from a sentence by its place alone.
  if (!/^[*_]/.test(line)) return [line];
  const parts: string[] = [];
  let from = 0;
  for (const { index } of line.matchAll(LABEL)) {
    const before = line.slice(from, index);
    const name = fieldLine(before)?.field.name;
    // A text may name labels; what begins with none is no row of fields.
    if (name === 'rationale' || name === 'acceptance' || (from === 0 && !name)) break;
    parts.push(before.trimEnd().replace(SEPARATOR, '').trimEnd());
    from = index;
  }
  return [...parts, line.slice(from)];
}
