// What an element of ReqIF says beside what it refers to, as a sentence may quote it where the
// element itself is not kept.

import type { Identified, ReqifDocument } from './reqif-document.ts';
import { some } from './reqif-report.ts';
import { named, type ReqifSet } from './reqif-set.ts';
import { attributeValue, textOfValue } from './reqif-values.ts';

const MOST_OF_A_TEXT = 80;

/** A name with what is said by it, in quotes. */
export function saying(name: string, text: string): string {
  const more = text.length > MOST_OF_A_TEXT ? '…' : '';
  return `${named(name)} ${JSON.stringify(`${text.slice(0, MOST_OF_A_TEXT)}${more}`)}`;
}

/** The description of an element, and what another tool calls it. */
export function notesOf({ desc, alternativeId }: Identified): string[] {
  const notes: string[] = [];
  if (desc) notes.push(saying('DESC', desc));
  if (alternativeId) notes.push(saying('ALTERNATIVE-ID', alternativeId));
  return notes;
}

/** The values of an element, by the names of their attributes. */
export function valuesOf(set: ReqifSet, document: ReqifDocument, { values }: Identified): string[] {
  return values.flatMap((raw) => {
    const info = set.attribute(document, raw.definition);
    const said = [saying(info.name, textOfValue(attributeValue(set, document, raw, info)))];
    const { original } = raw;
    if (original !== undefined && original !== raw.text) {
      said.push(saying(`${info.name} (original)`, original));
    }
    return said;
  });
}

/** A sentence on what is said and lost, to follow another; empty where nothing is. */
export function lostText(said: readonly string[]): string {
  return said.length === 0 ? '' : ` What is said there is not kept: ${some(said)}.`;
}
