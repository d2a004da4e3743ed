// What links in brackets mean in a Markdown file: `[label]: address`, wherever it stands.
import type { FileNotes } from './source-result.ts';

/** What a link in brackets means. */
export interface LinkDefinition {
  label: string;
  /** The definition as it is written. */
  raw: string;
  /** Its address, and its title where it has one, as they are written. */
  address: string;
  /** The line of the file. */
  line: number;
  /** Whether it is of an id, at a place in the sources: a reference needs no more than the id. */
  isReference: boolean;
}

/** The definitions of a file, and which of them are used. */
export interface Definitions {
  add(definition: LinkDefinition): void;
  /** What a label means, but for an id that is a reference; it does not count as used by that. */
  linkOf(label: string): LinkDefinition | undefined;
  /** What a label means, which is used by that. */
  use(label: string): LinkDefinition | undefined;
  /** The definitions that a text uses, but for references; each once, in the order in which it does. */
  usedIn(text: string): LinkDefinition[];
  /** What nothing has used, in the order of the file: of several with a label, the first is used. */
  unused(): LinkDefinition[];
}

const MOST_LINES_TOLD = 20;
/** A text in brackets; what is escaped outside of them is passed over, so that it begins none. */
const BRACKETS = /\\[\s\S]|\[((?:[^[\]\\]|\\[\s\S])+)\]/g;

/** A label as it is looked up: case and white space make no difference (CommonMark 0.31.2, 4.7). */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** The definitions of a file of which none is read yet. */
export function noDefinitions(): Definitions {
  const all: LinkDefinition[] = [];
  const byKey = new Map<string, LinkDefinition>();
  const used = new Set<LinkDefinition>();
  const use = (label: string) => {
    const definition = byKey.get(labelKey(label));
    if (definition) used.add(definition);
    return definition;
  };
  return {
    add(definition) {
      all.push(definition);
      const key = labelKey(definition.label);
      if (!byKey.has(key)) byKey.set(key, definition);
    },
    linkOf(label) {
      const definition = byKey.get(labelKey(label));
      return definition?.isReference === false ? definition : undefined;
    },
    use,
    usedIn(text) {
      if (byKey.size === 0 || !text.includes('[')) return [];
      const found = new Set<LinkDefinition>();
      for (const [, label = ''] of text.matchAll(BRACKETS)) {
        const definition = use(label);
        if (definition && !definition.isReference) found.add(definition);
      }
      return [...found];
    },
    unused: () => all.filter((definition) => !used.has(definition)),
  };
}

/** Tells of the definitions of links that no text has, since they stand in none. */
export function tellUnused(definitions: Definitions, notes: FileNotes): void {
  const lines = definitions.unused().map(({ line }) => line);
  const [first] = lines;
  if (first === undefined) return;
  const told = lines.slice(0, MOST_LINES_TOLD).join(', ');
  const more = lines.length - MOST_LINES_TOLD;
  const which = more > 0 ? `${told} and ${more} more` : told;
  const detail = `Definitions of links that nothing uses are left out; they stand on lines: ${which}.`;
  notes.note('unused_definition', first, detail);
}
