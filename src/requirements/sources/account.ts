// Nothing vanishes: a reader marks what it keeps of a file, and what is unmarked at the end is
// reported as `not_kept`, by line and text. Reading is marking, so that no reader can forget it.

/** A place of a file that holds something: an XML element, attribute or text, a member of YAML or JSON. */
export interface Part {
  /** The name of an element, `@name` of an attribute, `#text`, the key of a member, `[]` in a list. */
  name: string;
  kind: 'map' | 'list' | 'text' | 'number' | 'boolean' | 'null' | 'element';
  /** From 1. */
  line: number;
  /** Of a scalar, an attribute or a text: as it is written, without quotes and escapes. */
  text: string;
  parts: Part[];
  kept?: boolean;
}

/** What was not kept: the same place many times is one loss. */
export interface Loss {
  /** Where it stands: `SPEC-OBJECT/@LAST-CHANGE`, `text`. */
  what: string;
  line: number;
  text: string;
  times: number;
}

const SHOWN = 120;

/** Takes the first untaken part of a name: a second one stays, and is reported. */
export function take(part: Part | undefined, name: string): Part | undefined {
  if (part === undefined) return undefined;
  for (const one of part.parts) {
    if (one.name !== name || one.kept) continue;
    one.kept = true;
    return one;
  }
  return undefined;
}

export function takeText(part: Part | undefined, name: string): string | undefined {
  return take(part, name)?.text;
}

export function takeAll(part: Part | undefined, name?: string): Part[] {
  const found = part?.parts.filter((one) => name === undefined || one.name === name) ?? [];
  for (const one of found) one.kept = true;
  return found;
}

/** Takes a part with all that is in it, for what is kept as it is written. */
export function takeWhole<T extends Part | undefined>(part: T): T {
  const open = part ? [part as Part] : [];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    one.kept = true;
    open.push(...one.parts);
  }
  return part;
}

/** What is unmarked below a part that was read: of what is unmarked itself, the outermost. */
export function lossesOf(part: Part, losses = new Map<string, Loss>()): Map<string, Loss> {
  for (const one of part.parts) {
    if (one.kept) {
      lossesOf(one, losses);
      continue;
    }
    const what = `${part.name}/${one.name}`;
    const known = losses.get(what);
    if (known) known.times++;
    else losses.set(what, { what, line: one.line, text: shown(one), times: 1 });
  }
  return losses;
}

function shown(part: Part): string {
  let text = '';
  const add = (one: Part): boolean => {
    const own = one.name.startsWith('@') || one.kind !== 'element' ? one.text : '';
    text += `${one.name.startsWith('#') || one.name === '[]' ? '' : `${one.name} `}${own} `;
    return text.length < SHOWN && one.parts.every(add);
  };
  add(part);
  return text.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
}

/** The same for files whose places are lines: Markdown, Gherkin, OpenFastTrace, StrictDoc. */
export class Lines {
  /** The lines of the file; they end with LF, CRLF or CR. */
  readonly all: readonly string[];
  private readonly kept: Uint8Array;

  constructor(text: string) {
    this.all = text.split(/\r\n|\n|\r/);
    this.kept = new Uint8Array(this.all.length + 1);
  }

  /** Marks lines, from 1, `to` included. */
  mark(from: number, to: number): void {
    this.kept.fill(1, from, to + 1);
  }

  /** Marks lines, and gives them joined by `\n`. */
  take(from: number, to = from): string {
    this.mark(from, to);
    return this.all.slice(from - 1, to).join('\n');
  }

  /** Runs of unmarked lines that hold more than white space. */
  *left(): Generator<Loss> {
    for (let at = 1; at <= this.all.length; at++) {
      if (!this.isLeft(at)) continue;
      const from = at;
      while (this.isLeft(at + 1)) at++;
      const text = this.all[from - 1]?.trim().slice(0, SHOWN) ?? '';
      yield { what: 'text', line: from, text, times: at - from + 1 };
    }
  }

  private isLeft(line: number): boolean {
    return this.kept[line] === 0 && line > 0 && (this.all[line - 1] ?? '').trim() !== '';
  }
}
