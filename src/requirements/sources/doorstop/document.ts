// Doorstop's documents: a folder with a `.doorstop.yml` that says how its items are named, which
// document is its parent, and which further attributes a review covers.
import type { AttributeValue, SourceItem } from '../model.ts';
import { bareItem, type FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import type { PyEntry, PyMap, PyValue } from './python.ts';
import { addAttribute, ITEM_LINE } from './source-item.ts';
import { readYaml } from './yaml.ts';

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
  report: FileReport;
}

const CONFIG = '.doorstop.yml';

/** Whether a path names a document's settings. */
export function isConfig(path: string): boolean {
  return path === CONFIG || path.endsWith(`/${CONFIG}`);
}

/** Gives the folders around a path, with a `/` at the end, the nearest first; last the top, ''. */
export function* foldersOf(path: string): Generator<string> {
  let end = path.lastIndexOf('/');
  for (let depth = 0; end >= 0 && depth < 100; depth++) {
    yield path.slice(0, end + 1);
    end = end === 0 ? -1 : path.lastIndexOf('/', end - 1);
  }
  yield '';
}

/**
 * Reads a `.doorstop.yml`.
 *
 * @param text - with line ends as `\n`
 * @throws SourceFault with the line, for what is no YAML or no setting
 */
export function readDocument(path: string, text: string, report: FileReport): DoorstopDocument {
  const map = readYaml(text, report);
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
    report,
  };
  readSettings(document, entriesOf(map, 'settings'));
  for (const [name, entry] of entriesOf(map, 'attributes')) {
    addAttribute(document.attributes, name, entry, report);
    if (name === 'reviewed') document.reviewed = reviewedNames(entry);
    else if (name !== 'defaults' && name !== 'publish') unknown(document, name, entry);
  }
  readExtensions(document, entriesOf(map, 'extensions'));
  for (const [name, entry] of map.entries) {
    if (!['settings', 'attributes', 'extensions'].includes(name))
      addAttribute(document.attributes, name, entry, report);
  }
  document.title = titleOf(map) ?? document.prefix;
  return document;
}

function entriesOf(map: PyMap, name: string): Map<string, PyEntry> {
  const entry = map.entries.get(name);
  if (entry === undefined || entry.value.kind === 'none') return new Map();
  if (entry.value.kind !== 'map') throw new SourceFault(entry.line, `\`${name}\` is no map.`);
  return entry.value.entries;
}

function readSettings(document: DoorstopDocument, settings: Map<string, PyEntry>): void {
  const { attributes, report } = document;
  for (const [name, entry] of settings) {
    const { value, line } = entry;
    const text = value.kind === 'str' || value.kind === 'int' ? value.text.trim() : null;
    if (text === null && name === 'parent' && value.kind === 'none') continue;
    const pattern = SETTINGS.get(name);
    if (pattern && (text === null || !pattern.test(text)))
      throw new SourceFault(line, `\`${name}\` has no usable value.`);
    if (name === 'prefix') document.prefix = text ?? '';
    else if (name === 'parent') {
      document.parent = text;
      document.parentLine = line;
    } else if (name === 'itemformat') document.itemFormat = text as 'yaml' | 'markdown';
    else if (name === 'sep') attributes.sep = text;
    else if (name === 'digits') attributes.digits = Number(text);
    else {
      unknown(document, name, entry);
      addAttribute(attributes, name, entry, report);
    }
  }
  if (document.parent !== null) attributes.parent = document.parent;
  attributes.itemformat = document.itemFormat;
}

/** What the settings may be; `all` is a word of Doorstop's commands. */
const SETTINGS = new Map([
  ['prefix', /^(?!all$)\S+$/i],
  ['parent', /\S/],
  ['itemformat', /^(?:yaml|markdown)$/],
  ['sep', /^[-_.]?$/],
  ['digits', /^\d{1,4}$/],
]);

function unknown({ report, prefix }: DoorstopDocument, name: string, { line }: PyEntry): void {
  const detail = `Doorstop knows no \`${name.slice(0, 80)}\` here.`;
  report.report('unknown_field', line, detail, { itemId: prefix });
}

/** Doorstop hashes the attributes in alphabetical order, whatever the order of the list. */
function reviewedNames({ value, line }: PyEntry): string[] {
  if (value.kind === 'none') return [];
  if (value.kind !== 'list') throw new SourceFault(line, '`reviewed` is no list.');
  const names = value.items.flatMap((item) => (item.kind === 'str' ? [item.text] : []));
  return [...new Set(names)].sort();
}

function readExtensions(document: DoorstopDocument, extensions: Map<string, PyEntry>): void {
  const { attributes, report } = document;
  document.hashesReferences = extensions.has('item_sha_required');
  for (const [name, entry] of extensions)
    addAttribute(attributes, `extensions.${name}`, entry, report);
  const [first] = extensions.values();
  if (first === undefined) return;
  const names = [...extensions.keys()].join(', ').slice(0, 200);
  const detail = `Extensions are never run: ${names}`;
  report.report('not_kept', first.line, detail, { severity: 'info' });
}

/** A document, with its prefix as its id. */
export function documentItem({ path, prefix, title, attributes }: DoorstopDocument): SourceItem {
  const parts = {
    id: prefix,
    kind: 'document',
    title,
    path,
    line: ITEM_LINE,
    parentId: null,
  } as const;
  return { ...bareItem(parts), attributes, order: 0 };
}

function titleOf(map: PyMap): string | null {
  let here: PyValue | undefined = map;
  for (const name of ['attributes', 'defaults', 'doc'])
    here = here?.kind === 'map' ? here.entries.get(name)?.value : undefined;
  if (here?.kind !== 'map') return null;
  const texts = [here.entries.get('title')?.value, here.entries.get('name')?.value];
  return texts.flatMap((value) => (value?.kind === 'str' && value.text.trim()) || [])[0] ?? null;
}
