// Reads the ATTRIBUTE-VALUE elements of a ReqIF object, before it is known what defines them.

import {
  childOf,
  elementsOf,
  referenceIn,
  referencesIn,
  type XmlElement,
} from './reqif-element.ts';
import type { ReqifReport } from './reqif-report.ts';
import { xhtmlText } from './reqif-xhtml.ts';
import type { XhtmlNotes } from './reqif-xhtml-notes.ts';

export const VALUE_KINDS = [
  'BOOLEAN',
  'INTEGER',
  'REAL',
  'STRING',
  'DATE',
  'ENUMERATION',
  'XHTML',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

const KINDS = new Map<string, ValueKind>(
  VALUE_KINDS.map((kind) => [`ATTRIBUTE-VALUE-${kind}`, kind]),
);

/** A value as written. */
export interface RawValue {
  kind: ValueKind;
  /** The identifier of the attribute's definition; empty in a DEFAULT-VALUE. */
  definition: string;
  /** THE-VALUE; of XHTML its text. */
  text: string;
  /** Of an enumeration the identifiers of its values. */
  refs: string[];
  /** The text of THE-ORIGINAL-VALUE, of which THE-VALUE is a simplification. */
  original: string | undefined;
  line: number;
}

/**
 * The values in a VALUES or DEFAULT-VALUE element.
 *
 * @param report - is told of what is no value
 * @param notes - is told what of XHTML is not in its text
 */
export function readValues(
  element: XmlElement,
  report: ReqifReport,
  notes: XhtmlNotes,
): RawValue[] {
  const values: RawValue[] = [];
  for (const child of elementsOf(element)) {
    const kind = KINDS.get(child.name);
    if (kind === undefined) {
      const detail = `<${child.name.slice(0, 100)}> is no value of an attribute; it was not read.`;
      report.lose('unknown_element', 'warning', child.line, detail);
      continue;
    }
    const definition = referenceIn(childOf(child, 'DEFINITION'));
    if (definition === '' && element.name === 'VALUES') {
      const said = child.attributes['THE-VALUE']?.slice(0, 100) ?? '';
      const detail = `The value ${JSON.stringify(said)} names no attribute; it was not kept.`;
      report.lose('missing_definition', 'warning', child.line, detail);
      continue;
    }
    const content = kind === 'XHTML' ? childOf(child, 'THE-VALUE') : undefined;
    const original = kind === 'XHTML' ? childOf(child, 'THE-ORIGINAL-VALUE') : undefined;
    values.push({
      kind,
      definition,
      text:
        content === undefined ? (child.attributes['THE-VALUE'] ?? '') : xhtmlText(content, notes),
      refs: kind === 'ENUMERATION' ? referencesIn(childOf(child, 'VALUES')) : [],
      original: original === undefined ? undefined : xhtmlText(original, notes),
      line: child.line,
    });
  }
  return values;
}
