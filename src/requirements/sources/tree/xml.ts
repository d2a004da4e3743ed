// XML as trees of parts, one for each record of a file, so that the whole is never in memory. No
// entity is expanded and nothing is fetched.
import { SaxesParser } from 'saxes';
import type { Part } from '../account.ts';
import { SourceFault } from './fault.ts';
import { decodeChunks, xmlEncoding } from './xml-encoding.ts';

export const XML_LIMITS = {
  depth: 512,
  recordElements: 500_000,
  elements: 2_000_000,
  records: 300_000,
} as const;

/** What a source set may still have; reading uses it up. */
export interface XmlBudget {
  elements: number;
  records: number;
}

export function openXmlBudget(): XmlBudget {
  return { elements: XML_LIMITS.elements, records: XML_LIMITS.records };
}

export interface XmlShape {
  nameOf(uri: string, local: string): string;
  /** Whether an element, by the names down to it, stands above the records. */
  isAbove(path: readonly string[]): boolean;
  isText(name: string): boolean;
}

export interface XmlTop {
  /** The root and what stands above the records, with attributes and text. */
  root: Part;
  /** The encoding that the file declares, if it does. */
  encoding: string | null;
  /** The line of the first DOCTYPE or reference to an entity; null where there is none. */
  doctypeLine: number | null;
}

const NO_PARTS = Object.freeze([]) as unknown as Part[];

/**
 * Reads a file.
 * @param record - takes each record with the name of the part that it stands in
 * @throws SourceFault with the parser's message for what is not well-formed, or beyond the limits
 */
export function parseXml(
  bytes: Uint8Array,
  shape: XmlShape,
  budget: XmlBudget,
  record: (part: Part, container: string) => void,
): XmlTop {
  const { label, declared } = xmlEncoding(bytes);
  if (label === undefined) throw new SourceFault(1, `The encoding ${declared} is not known.`);
  const parser = new SaxesParser({ xmlns: true });
  const names = new Map<string, Map<string, string>>();
  const above: Part[] = [];
  const path: string[] = [];
  const prolog: Part = { name: '', kind: 'element', line: 1, text: '', parts: [] };
  let open: Part[] = [];
  let root: Part | undefined;
  let doctypeLine: number | null = null;
  let elements = 0;
  let line = 1;
  const fail = (message: string): never => {
    throw new SourceFault(line, message);
  };

  const nameOf = (uri: string, local: string): string => {
    const ofUri = names.get(uri) ?? new Map<string, string>();
    const known = ofUri.get(local);
    if (known !== undefined) return known;
    const name = shape.nameOf(uri, local);
    names.set(uri, ofUri.set(local, name));
    return name;
  };

  parser.on('opentagstart', () => {
    // The character after the name has been read: where that ended the line, the tag began before.
    line = parser.column === 0 ? parser.line - 1 : parser.line;
    if (above.length + open.length >= XML_LIMITS.depth)
      fail(`Elements nest more than ${XML_LIMITS.depth} deep.`);
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const name = nameOf(uri, local);
    const part: Part = { name, kind: 'element', line, text: '', parts: [] };
    for (const key in attributes) {
      const { prefix, value } = attributes[key] as { prefix: string; value: string };
      if (key === 'xmlns' || prefix === 'xmlns' || prefix === 'xsi') continue;
      part.parts.push({ name: `@${key}`, kind: 'text', line, text: value, parts: NO_PARTS });
    }
    const parent = open[open.length - 1];
    if (parent !== undefined) {
      elements += 1;
      budget.elements -= 1;
      if (elements > XML_LIMITS.recordElements)
        fail(`A record has more than ${XML_LIMITS.recordElements} elements.`);
      if (budget.elements < 0) fail(`The files have more than ${XML_LIMITS.elements} elements.`);
      parent.parts.push(part);
      open.push(part);
      return;
    }
    path.push(name);
    if (shape.isAbove(path)) {
      above[above.length - 1]?.parts.push(part);
      above.push(part);
      if (root === undefined) part.parts.push(...prolog.parts);
      root ??= part;
      return;
    }
    path.pop();
    if (root === undefined) fail(`The root is <${name}>.`);
    elements = 1;
    budget.records -= 1;
    if (budget.records < 0) fail(`The files have more than ${XML_LIMITS.records} records.`);
    open = [part];
  });
  parser.on('closetag', () => {
    const part = open.pop();
    if (part === undefined) {
      above.pop();
      path.pop();
    } else if (open.length === 0) record(part, path[path.length - 1] ?? '');
  });

  const addText = (text: string): void => {
    const parent = open[open.length - 1] ?? above[above.length - 1];
    if (parent === undefined || (isBlank(text) && !shape.isText(parent.name))) return;
    // The parser is at the end of the text.
    const lines = text.includes('\n') ? text.trimStart().split('\n').length - 1 : 0;
    add(parent, '#text', text, Math.max(1, parser.line - lines));
  };
  const add = (parent: Part, name: string, text: string, at: number): void => {
    parent.parts.push({ name, kind: 'text', line: at, text, parts: NO_PARTS });
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('processinginstruction', ({ target, body }) => {
    const parent = open[open.length - 1] ?? above[above.length - 1] ?? prolog;
    add(parent, `?${target}`, body, parser.line);
  });
  parser.on('doctype', () => {
    doctypeLine ??= parser.line;
  });
  parser.on('error', (error) => {
    const message = error.message.replace(/^\d+:\d+: /, '');
    if (/^undefined entity/.test(message)) doctypeLine ??= parser.line;
    else throw new SourceFault(parser.line, `The file is not well-formed XML: ${message}`);
  });
  for (const chunk of decodeChunks(bytes, label)) parser.write(chunk);
  parser.close();
  if (root === undefined) throw new SourceFault(1, 'The file has no element.');
  return { root, encoding: declared, doctypeLine };
}

/** A loop: most texts of a file are the few blanks between two elements. */
function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x20) return false;
  return true;
}
