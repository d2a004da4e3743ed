// The files that API documents are made of. References (`$ref`) are JSON pointers (RFC 6901) into the
// same file or another one of the source set, by its relative path. Nothing else is opened.
import { type Loss, lossesOf, type Part } from '../account.ts';
import type { FindingCode } from '../findings.ts';
import type { SourceFile, SourceResult } from '../model.ts';
import { type FileReport, readOrFail, reportOn, textOf } from '../report.ts';
import { decodeSource } from '../text.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseJson } from '../tree/json.ts';
import { parseYaml } from '../tree/yaml.ts';

export interface Node {
  path: string;
  part: Part;
}

const MAX_HOPS = 32;
const MAX_TEXT = 2000;
const MAX_CONTENT = 64 * 1024 * 1024;

export class Library {
  /** How much may still be read. */
  left = MAX_CONTENT;
  /** Prefixes by the lists of servers that they are of. */
  readonly prefixes = new Map<Part, string | null>();
  /** Ids of items by the paths and operations that name them. */
  readonly declared = new Map<Part, readonly string[]>();
  private readonly files: ReadonlyMap<string, SourceFile>;
  private readonly result: SourceResult;
  private readonly opened = new Map<string, { report: FileReport; top: Part | null }>();
  private readonly targets = new Map<string, Node | string>();
  private readonly referred = new Set<string>();
  /** References and parts of which something is said already: many paths may be one by reference. */
  private readonly reported = new Set<Part>();
  private readonly names = new Map<Part, string>();

  constructor(files: readonly SourceFile[], result: SourceResult) {
    this.files = new Map(files.map((file) => [file.path, file]));
    this.result = result;
  }

  /** The top of a file; null where there is none, or it could not be read, which is reported. */
  open(path: string): Part | null {
    const known = this.opened.get(path);
    const file = this.files.get(path);
    if (known || !file) return known?.top ?? null;
    const report = reportOn(this.result, path);
    const top = readOrFail(report, () => treeOf(file, report));
    this.opened.set(path, { report, top });
    return top;
  }

  /** Reports a fault of a part, once whatever refers to it, and whether something is lost with it. */
  report(code: FindingCode, { path, part }: Node, detail: string, isLoss = true): void {
    if (this.reported.has(part)) return;
    this.reported.add(part);
    this.opened.get(path)?.report.report(code, part.line, detail, { isLoss });
  }

  /** A text as far as it is kept; that it is longer is reported. */
  cut(node: Node, text = node.part.text): string {
    if (text.length <= MAX_TEXT) return text;
    const detail = `A text is longer than ${MAX_TEXT} characters: the rest is not kept.`;
    this.report('limit_exceeded', node, detail);
    return text.slice(0, MAX_TEXT);
  }

  fail(path: string, detail: string): void {
    const opened = this.opened.get(path);
    opened?.report.fail(1, detail);
    if (opened) opened.top = null;
  }

  /** What a part is called where something of it is not kept. */
  name({ part }: Node, name: string): void {
    this.names.set(part, name);
  }

  /** What a node stands for: itself, or where its reference ends; null, once reported, for nowhere. */
  resolve(node: Node): Node | null {
    const seen = new Set<Part>();
    let here = node;
    for (;;) {
      const ref = here.part.kind === 'map' ? memberOf(here, '$ref') : undefined;
      if (ref?.part.kind !== 'text') return here;
      const text = `The reference ${shown(ref.part.text)}`;
      if (seen.has(here.part)) {
        this.report('reference_cycle', ref, `${text} leads back to itself.`);
        return null;
      }
      if (seen.size >= MAX_HOPS) {
        this.report('limit_exceeded', ref, `${text} is the last of more than ${MAX_HOPS}.`);
        return null;
      }
      seen.add(here.part);
      const next = this.follow(ref);
      if (!next) return null;
      here = next;
    }
  }

  isReferred(path: string): boolean {
    return this.referred.has(path);
  }

  /** Reports what is not kept of all files that were opened. */
  finish(isTrivial: (loss: Loss) => boolean): void {
    for (const [part, name] of this.names) part.name = name;
    for (const path of [...this.opened.keys()].sort()) {
      const { report, top } = this.opened.get(path) ?? {};
      if (top) report?.reportLosses(lossesOf(top).values(), isTrivial);
      report?.finish();
    }
  }

  private follow(ref: Node): Node | null {
    const { text } = ref.part;
    const place = placeOf(text, ref.path);
    const target = place === null ? 'it leads out of the source set' : this.target(place);
    if (typeof target !== 'string') {
      if (target.path !== ref.path) this.referred.add(target.path);
      return target;
    }
    const isFile = place === null || !this.files.has(place.path);
    const detail = `The reference ${shown(text)} is not followed: ${target}.`;
    this.report(isFile ? 'missing_file' : 'dangling_reference', ref, detail);
    return null;
  }

  /** Where a reference leads, or why nowhere. */
  private target({ path, pointer }: Place): Node | string {
    const key = `${path}#${pointer}`;
    const known = this.targets.get(key);
    if (known !== undefined) return known;
    const top = this.open(path);
    const part = top && partAt(top, pointer);
    const found = part ? { path, part } : nowhere(path, pointer, top, this.files.has(path));
    this.targets.set(key, found);
    return found;
  }
}

function nowhere(path: string, pointer: string, top: Part | null, isThere: boolean): string {
  if (top) return `there is no ${shown(pointer)} in ${shown(path)}`;
  return `the file ${shown(path)} ${isThere ? 'could not be read' : 'is not in the source set'}`;
}

function treeOf(file: SourceFile, report: FileReport): Part {
  const text = textOf(file, report);
  const isYaml = /\.ya?ml$/i.test(file.path) || !/^[\s\ufeff]*\{/.test(text);
  const top = isYaml ? parseYaml(text) : parseJson(text);
  if (top.kind !== 'map') throw new SourceFault(1, 'The top of the file is no map.');
  return top;
}

export function memberOf({ path, part }: Node, name: string): Node | undefined {
  const found = part.kind === 'map' ? part.parts.find((one) => one.name === name) : undefined;
  if (!found) return undefined;
  found.kept = true;
  return { path, part: found };
}

export function memberOfKind(
  node: Node,
  name: string,
  kind: 'map' | 'list' | 'text',
): Node | undefined {
  const found = memberOf(node, name);
  if (!found || found.part.kind === kind) return found;
  found.part.kept = found.part.kind === 'null';
  return undefined;
}

export function textIn(node: Node, name: string): Node | undefined {
  const found = memberOf(node, name);
  if (found && isScalar(found.part)) return found;
  if (found && found.part.kind !== 'null') found.part.kept = false;
  return undefined;
}

export function isScalar({ kind }: Part): boolean {
  return kind === 'text' || kind === 'number' || kind === 'boolean';
}

interface Place {
  path: string;
  pointer: string;
}

function placeOf(ref: string, from: string): Place | null {
  const hash = ref.indexOf('#');
  const file = decoded(hash < 0 ? ref : ref.slice(0, hash));
  const pointer = decoded(hash < 0 ? '' : ref.slice(hash + 1));
  if (/^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(file)) return null;
  if (file === '') return { path: from, pointer };
  const parts = from.split('/').slice(0, -1);
  for (const part of file.split(/[/\\]/)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return { path: parts.join('/'), pointer };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function partAt(top: Part, pointer: string): Part | null {
  if (pointer === '' || pointer === '/') return top;
  if (!pointer.startsWith('/')) return null;
  const way: Part[] = [top];
  for (const one of pointer.slice(1).split('/')) {
    const key = one.replaceAll('~1', '/').replaceAll('~0', '~');
    const { kind, parts } = way.at(-1) as Part;
    const index = /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : -1;
    const next = kind === 'list' ? parts[index] : parts.find(({ name }) => name === key);
    if (!next) return null;
    way.push(next);
  }
  for (const part of way) part.kept = true;
  return way.at(-1) ?? null;
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

const REFERENCE =
  /\$ref["']?[^\S\n]{0,9}:[^\S\n]{0,9}(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^\s,}\]"'][^\n,}\]]{0,2000}))/g;

export function referredFrom({ path, bytes }: SourceFile): string[] {
  const paths = new Set<string>();
  for (const [, double, single, plain] of decodeSource(bytes).text.matchAll(REFERENCE)) {
    const ref = double?.replaceAll('\\/', '/') ?? single ?? plain?.replace(/\s+#.*$/, '').trim();
    const place = placeOf(ref ?? '', path);
    if (place && place.path !== path) paths.add(place.path);
  }
  return [...paths];
}
