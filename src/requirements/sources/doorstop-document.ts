// Doorstop's documents: a folder with a `.doorstop.yml` that says how its items are named, which
// document is its parent, and which further attributes a review covers.
import { type AddAttribute, attributeAdder, shownValue } from './doorstop-attributes.ts';
import type { PyEntry, PyMap, PyValue } from './doorstop-python.ts';
import { prefixKey } from './doorstop-uid.ts';
import { readYaml } from './doorstop-yaml.ts';
import type { FindingCode } from './finding-codes.ts';
import type { AttributeValue, SourceFinding } from './model.ts';

/** A document of a Doorstop tree. */
export interface DoorstopDocument {
  path: string;
  /** Its folder, with a `/` at the end; empty at the top. */
  folder: string;
  prefix: string;
  /** The parent's prefix as written; null at the root. */
  parent: string | null;
  parentLine: number;
  itemFormat: 'yaml' | 'markdown';
  /** The extended attributes in a stamp, in the order in which Doorstop hashes them. */
  reviewed: string[];
  /** Whether references carry a hash of their file. */
  hashesReferences: boolean;
  title: string;
  attributes: Record<string, AttributeValue>;
}

/** Collects what a person should know about one file. */
export type Report = (
  code: FindingCode,
  severity: SourceFinding['severity'],
  line: number,
  detail: string,
) => void;

/**
 * Reads a `.doorstop.yml`.
 *
 * @param text - with line ends as `\n`
 * @returns null where nothing can be made of it
 */
export function readDocument(path: string, text: string, report: Report): DoorstopDocument | null {
  const { map, problems } = readYaml(text);
  for (const { code, line, detail } of problems) {
    report(code, code === 'unparsed_source' ? 'error' : 'warning', line, detail);
  }
  if (map === null) return null;
  const document: DoorstopDocument = {
    path,
    folder: path.slice(0, path.lastIndexOf('/') + 1),
    prefix: 'REQ',
    parent: null,
    parentLine: 1,
    itemFormat: 'yaml',
    reviewed: [],
    hashesReferences: false,
    title: '',
    attributes: {},
  };
  const add = attributeAdder(document.attributes, report);
  const settings = map.entries.get('settings');
  // Wherever they stand, since what they say has its own name among the attributes.
  if (settings !== undefined)
    readSettings(document, asMap('settings', settings, report), add, report);
  for (const [name, entry] of map.entries) {
    const { line } = entry;
    if (name === 'settings') continue;
    if (name === 'attributes') readAttributes(document, asMap(name, entry, report), add, report);
    else if (name === 'extensions')
      readExtensions(document, asMap(name, entry, report), line, add, report);
    else {
      add(name, entry);
      report('unknown_field', 'info', line, `Doorstop knows no \`${name.slice(0, 80)}\`.`);
    }
  }
  document.title = titleOf(map) ?? document.prefix;
  return document;
}

function asMap(name: string, { value, line }: PyEntry, report: Report): Map<string, PyEntry> {
  if (value.kind === 'map') return value.entries;
  if (value.kind !== 'none') {
    const detail = `\`${name}\` is no map: ${shownValue(value)} is not kept.`;
    report('invalid_value', 'error', line, detail);
  }
  return new Map();
}

function readSettings(
  document: DoorstopDocument,
  settings: Map<string, PyEntry>,
  add: AddAttribute,
  report: Report,
) {
  for (const [name, entry] of settings) {
    const { value, line } = entry;
    const text = value.kind === 'str' || value.kind === 'int' ? value.text.trim() : null;
    if (name === 'prefix' && text) {
      document.prefix = text.split(' ', 1)[0] ?? text;
      if (document.prefix !== text) {
        const detail = `A prefix is one word: ${shownValue(value)} is taken for ${document.prefix.slice(0, 80)}.`;
        report('invalid_value', 'warning', line, detail);
      }
      if (prefixKey(document.prefix) === 'all') {
        report('invalid_value', 'error', line, 'Doorstop keeps the prefix `all` for itself.');
      }
    } else if (name === 'parent') {
      document.parentLine = line;
      if (text) document.parent = text;
      else if (value.kind !== 'none')
        report('invalid_value', 'error', line, `\`parent\` is no prefix: ${shownValue(value)}`);
    } else if (name === 'itemformat' && (text === 'yaml' || text === 'markdown')) {
      document.itemFormat = text;
    } else if (name === 'sep' && text !== null && /^[-_.]?$/.test(text)) {
      document.attributes.sep = text;
    } else if (name === 'digits' && text !== null && /^\d{1,4}$/.test(text)) {
      document.attributes.digits = Number(text);
    } else {
      const known = ['prefix', 'itemformat', 'sep', 'digits'].includes(name);
      const code = known ? 'invalid_value' : 'unknown_field';
      const shown = name.slice(0, 80);
      const detail = known
        ? `\`${shown}\` has no usable value: ${shownValue(value)}`
        : `Doorstop knows no setting \`${shown}\`.`;
      report(code, 'error', line, detail);
      add(name, entry);
    }
  }
  if (document.parent !== null) document.attributes.parent = document.parent;
  document.attributes.itemformat = document.itemFormat;
}

function readAttributes(
  document: DoorstopDocument,
  fields: Map<string, PyEntry>,
  add: AddAttribute,
  report: Report,
) {
  for (const [name, entry] of fields) {
    const { value, line } = entry;
    add(name, entry);
    if (name === 'reviewed') {
      if (value.kind === 'list') document.reviewed = namesOf(value.items);
      else if (value.kind !== 'none')
        report('invalid_value', 'error', line, '`reviewed` is no list.');
    } else if (name !== 'defaults' && name !== 'publish') {
      report(
        'unknown_field',
        'error',
        line,
        `Doorstop knows no attributes \`${name.slice(0, 80)}\`.`,
      );
    }
  }
}

/** Doorstop hashes the attributes in alphabetical order, whatever the order of the list. */
function namesOf(items: PyValue[]): string[] {
  const names = items.flatMap((item) => (item.kind === 'str' ? [item.text] : []));
  return [...new Set(names)].sort();
}

function readExtensions(
  document: DoorstopDocument,
  extensions: Map<string, PyEntry>,
  line: number,
  add: AddAttribute,
  report: Report,
) {
  for (const [name, entry] of extensions) add(`extensions.${name}`, entry);
  document.hashesReferences = extensions.has('item_sha_required');
  if (extensions.size === 0) return;
  const names = [...extensions.keys()].slice(0, 10).map((name) => `\`${name.slice(0, 80)}\``);
  const more = extensions.size - names.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  report(
    'extension_ignored',
    'info',
    line,
    `Extensions are never run: ${names.join(', ')}${rest}.`,
  );
}

function titleOf(map: PyMap): string | null {
  let here: PyValue | undefined = map;
  for (const name of ['attributes', 'defaults', 'doc']) {
    here = here?.kind === 'map' ? here.entries.get(name)?.value : undefined;
  }
  if (here?.kind !== 'map') return null;
  const texts = [here.entries.get('title')?.value, here.entries.get('name')?.value];
  return texts.flatMap((value) => (value?.kind === 'str' && value.text.trim()) || [])[0] ?? null;
}
