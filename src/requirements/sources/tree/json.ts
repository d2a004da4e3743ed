// JSON (RFC 8259) as a tree of parts, each with its line and its text as written, so that long
// numbers keep their digits.
import { printParseErrorCode, visit } from 'jsonc-parser';
import type { Part } from '../account.ts';
import { lineAt, lineStarts } from '../text.ts';
import { SourceFault } from './fault.ts';

const MAX_DEPTH = 64;
const BEYOND = Symbol('deeper than is looked at');
const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/**
 * Reads a JSON text. A key that stands twice in a map makes two parts.
 * @returns the part of its top, named ''
 * @throws SourceFault with the line, for what is no JSON or nests deeper than 64
 */
export function parseJson(text: string): Part {
  const starts = lineStarts(text);
  const top: Part = { name: '', kind: 'map', line: 1, text: '', parts: [] };
  const open: Part[] = [];
  let root: Part | undefined;
  let key: { name: string; line: number } | undefined;
  const fail = (offset: number, message: string): never => {
    throw new SourceFault(lineAt(starts, Math.min(offset, text.length)), message);
  };
  const add = (kind: Part['kind'], offset: number, written: string): Part => {
    const parent = open.at(-1);
    const name = parent === undefined ? '' : parent.kind === 'list' ? '[]' : (key?.name ?? '');
    const line = parent?.kind === 'map' && key ? key.line : lineAt(starts, offset);
    const part: Part = { name, kind, line, text: written, parts: [] };
    if (parent) parent.parts.push(part);
    else root ??= part;
    key = undefined;
    return part;
  };
  const begin = (kind: 'map' | 'list') => (offset: number) => {
    if (open.length >= MAX_DEPTH) fail(offset, `It is nested more than ${MAX_DEPTH} deep.`);
    open.push(add(kind, offset, ''));
  };
  const end = () => void open.pop();
  visit(
    text,
    {
      onObjectBegin: begin('map'),
      onArrayBegin: begin('list'),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty(name, offset) {
        key = { name, line: lineAt(starts, offset) };
      },
      onLiteralValue(value, offset, length) {
        const kind = value === null ? 'null' : (typeof value as 'text' | 'number' | 'boolean');
        if (typeof value === 'string') add('text', offset, value);
        else add(kind, offset, value === null ? '' : text.slice(offset, offset + length));
      },
      onError(code, offset) {
        fail(offset, `The file is not JSON: ${printParseErrorCode(code)}.`);
      },
    },
    STRICT,
  );
  return root ?? top;
}

/** The keys of the top of a text that may be JSON, each with its value where that is a text. */
export function topLevelOf(text: string): Map<string, string | null> {
  const found = new Map<string, string | null>();
  let depth = 0;
  let key: string | undefined;
  const begin = () => {
    if (++depth > MAX_DEPTH) throw BEYOND;
  };
  const end = () => void depth--;
  try {
    visit(text, {
      onObjectBegin: begin,
      onArrayBegin: begin,
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty(name) {
        if (depth !== 1) return;
        key = name;
        found.set(name, null);
      },
      onLiteralValue(value) {
        if (depth === 1 && key !== undefined && typeof value === 'string') found.set(key, value);
      },
    });
  } catch (error) {
    if (error !== BEYOND) throw error;
  }
  return found;
}
