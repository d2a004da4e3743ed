// YAML as a tree of parts, each with its line. Aliases and merges are followed within a budget,
// nothing is built from a tag.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import type { Part } from '../account.ts';
import { SourceFault } from './fault.ts';

/** A part of YAML: a scalar without quotes may mean another type under another schema. */
export interface YamlPart extends Part {
  parts: YamlPart[];
  plain?: boolean;
  /** As it is written or resolved; nothing is built from it. */
  tag?: string;
}

const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_DEPTH = 100;
const MAX_FROM_ALIASES = 100_000;
const MAX_CHARACTERS_FROM_ALIASES = MAX_CHARACTERS;

export interface YamlOptions {
  /** `1.1` as Python reads it, every scalar as text (`plain` where it has no quotes); else 1.2, core schema. */
  version?: '1.1' | '1.2';
  /** The lines of the file before the text. */
  lineOffset?: number;
}

/**
 * Reads one YAML document. A key that stands twice in a map makes two parts.
 * @returns the part of its top, named ''; an empty document is of the kind `null`
 * @throws SourceFault with the line, for what is no YAML, nests too deep or unfolds to too much
 */
export function parseYaml(
  text: string,
  { version = '1.2', lineOffset = 0 }: YamlOptions = {},
): YamlPart {
  if (text.length > MAX_CHARACTERS)
    throw new SourceFault(1, `The file is longer than ${MAX_CHARACTERS} characters.`);
  const lines = new LineCounter();
  const lineOf = (offset: number) => (lines.linePos(offset).line || 1) + lineOffset;
  try {
    const document = parseDocument(text, {
      version,
      schema: version === '1.1' ? 'failsafe' : 'core',
      merge: true,
      lineCounter: lines,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error)
      throw new SourceFault(lineOf(error.pos[0]), `The file is not YAML: ${error.message}`);
    return new Reader(lineOf).read(document.contents as Node | null);
  } catch (error) {
    if (error instanceof RangeError)
      throw new SourceFault(1 + lineOffset, 'It is nested too deep.');
    throw error;
  }
}

class Reader {
  private readonly lineOf: (offset: number) => number;
  private readonly anchors = new Map<string, Node>();
  private readonly open = new Set<Node>();
  private fromAliases = 0;
  private charactersFromAliases = 0;
  private aliases = 0;

  constructor(lineOf: (offset: number) => number) {
    this.lineOf = lineOf;
  }

  read(top: Node | null): YamlPart {
    return this.part('', top, this.lineAt(top, this.lineOf(0)), 0);
  }

  private part(name: string, node: Node | null, keyLine: number, depth: number): YamlPart {
    if (depth > MAX_DEPTH) this.fail(node, `It is nested more than ${MAX_DEPTH} deep.`);
    if (this.aliases > 0) this.countFromAliases(name, node);
    if (isAlias(node)) {
      this.aliases += 1;
      const part = this.part(name, this.target(node), keyLine, depth + 1);
      this.aliases -= 1;
      return part;
    }
    const made: YamlPart = { name, kind: 'null', line: keyLine, text: '', parts: [] };
    if (node === null) return made;
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor && this.aliases === 0)
      this.anchors.set(node.anchor, node);
    if (node.tag) made.tag = node.tag;
    if (isScalar(node)) {
      Object.assign(made, scalarOf(node));
      if (this.aliases > 0) this.countFromAliases(made.text, node);
      return made;
    }
    this.open.add(node);
    if (isSeq(node)) {
      made.kind = 'list';
      made.parts = node.items.map((one) =>
        this.part('[]', one as Node, this.lineAt(one as Node, keyLine), depth + 1),
      );
    } else if (isMap(node)) {
      made.kind = 'map';
      made.parts = this.members(node.items as Pair<Node, Node | null>[], depth);
    }
    this.open.delete(node);
    return made;
  }

  private members(pairs: readonly Pair<Node, Node | null>[], depth: number): YamlPart[] {
    const merged: YamlPart[] = [];
    const own: YamlPart[] = [];
    for (const { key, value } of pairs) {
      const line = this.lineAt(key, 1);
      if (!isScalar(key) && !isAlias(key)) this.fail(key, 'A key is a list or a map.');
      const name = this.part('', key, line, depth + 1).text;
      const part = this.part(name, value, line, depth + 1);
      if (name !== '<<' || !isScalar(key) || key.type !== 'PLAIN') own.push(part);
      else if (part.kind === 'map') merged.push(...part.parts);
      else if (part.kind === 'list' && part.parts.every(({ kind }) => kind === 'map'))
        merged.push(...part.parts.flatMap((one) => one.parts));
      else this.fail(key, '`<<` takes in maps alone.');
    }
    const names = new Set(own.map(({ name }) => name));
    for (const one of merged) {
      if (names.has(one.name)) continue;
      names.add(one.name);
      own.push(one);
    }
    return own;
  }

  private target(alias: Node & { source: string }): Node {
    const target = this.anchors.get(alias.source);
    if (!target) this.fail(alias, `The alias *${alias.source.slice(0, 80)} stands for nothing.`);
    if (this.open.has(target)) this.fail(alias, 'A value holds itself, by an alias.');
    return target;
  }

  private countFromAliases(text: string, node: Node | null): void {
    this.fromAliases += 1;
    this.charactersFromAliases += text.length;
    if (
      this.fromAliases > MAX_FROM_ALIASES ||
      this.charactersFromAliases > MAX_CHARACTERS_FROM_ALIASES
    )
      this.fail(node, 'Its aliases unfold to too much.');
  }

  private lineAt(node: Node | null, otherwise: number): number {
    return node?.range ? this.lineOf(node.range[0]) : otherwise;
  }

  private fail(node: Node | null, message: string): never {
    throw new SourceFault(this.lineAt(node, this.lineOf(0)), message);
  }
}

function scalarOf({ value, source, type, tag }: Scalar): Pick<YamlPart, 'kind' | 'text' | 'plain'> {
  const plain = type === 'PLAIN' && tag === undefined;
  const text = typeof value === 'string' ? value : (source ?? '');
  const kind = value === null ? 'null' : typeof value === 'string' ? 'text' : typeof value;
  if (kind === 'number' || kind === 'boolean' || kind === 'null') return { kind, text, plain };
  return { kind: 'text', text, plain };
}
