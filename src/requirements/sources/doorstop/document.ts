// Doorstop's documents: a folder with a `.doorstop.yml` that says how its items are named, which
// document is its parent, and which further attributes a review covers.
import type { AttributeValue, SourceItem } from '../model.ts';
import { bareItem, type FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { isScalar, type PyEntry, type PyMap, readYaml } from './python.ts';
import { addAttribute, ITEM_LINE } from './source-item.ts';

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
  title: string;
  attributes: Record<string, AttributeValue>;
  report: FileReport;
}

const CONFIG = '.doorstop.yml';

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
 * @param text - with line ends as `\n`
 * @throws SourceFault with the line, for what is no YAML or no setting
 */
export function readDocument(path: string, text: string, report: FileReport): DoorstopDocument {
  const map = readYaml(text, report);
  const settings = entriesOf(map, 'settings');
  const prefix = settingOf(settings, 'prefix', /^(?!all$)\S+$/i) ?? 'REQ';
  const parent = settingOf(settings, 'parent', /^\S+$/);
  const itemFormat = settingOf(settings, 'itemformat', /^(?:yaml|markdown)$/) ?? 'yaml';
  const attributes: Record<string, AttributeValue> = { itemformat: itemFormat };
  for (const [name, entry] of settings)
    if (name !== 'prefix' && name !== 'itemformat') addAttribute(attributes, name, entry, report);
  for (const [name, entry] of entriesOf(map, 'attributes'))
    addAttribute(attributes, name, entry, report);
  for (const [name, entry] of map.entries)
    if (name !== 'settings' && name !== 'attributes') addAttribute(attributes, name, entry, report);
  const [extension] = entriesOf(map, 'extensions').values();
  if (extension)
    report.report('not_kept', extension.line, 'Extensions are never run.', { severity: 'info' });
  return {
    path,
    folder: path.slice(0, path.lastIndexOf('/') + 1),
    prefix,
    parent,
    parentLine: settings.get('parent')?.line ?? 1,
    itemFormat: itemFormat as DoorstopDocument['itemFormat'],
    reviewed: reviewedNames(entriesOf(map, 'attributes').get('reviewed')),
    title: titleOf(attributes) ?? prefix,
    attributes,
    report,
  };
}

function entriesOf(map: PyMap, name: string): Map<string, PyEntry> {
  const entry = map.entries.get(name);
  if (entry === undefined || entry.value.kind === 'none') return new Map();
  if (entry.value.kind !== 'map') throw new SourceFault(entry.line, `\`${name}\` is no map.`);
  return entry.value.entries;
}

function settingOf(
  settings: ReadonlyMap<string, PyEntry>,
  name: string,
  pattern: RegExp,
): string | null {
  const entry = settings.get(name);
  if (entry === undefined || entry.value.kind === 'none') return null;
  if (!isScalar(entry.value) || !pattern.test(entry.value.text))
    throw new SourceFault(entry.line, `\`${name}\` has no usable value.`);
  return entry.value.text;
}

/** Doorstop hashes the attributes in alphabetical order, whatever the order of the list. */
function reviewedNames(entry: PyEntry | undefined): string[] {
  if (entry === undefined || entry.value.kind === 'none') return [];
  if (entry.value.kind !== 'list') throw new SourceFault(entry.line, '`reviewed` is no list.');
  const names = entry.value.items.flatMap((item) => (item.kind === 'str' ? [item.text] : []));
  return [...new Set(names)].sort();
}

function titleOf(attributes: Readonly<Record<string, AttributeValue>>): string | null {
  const names = [attributes['defaults.doc.title'], attributes['defaults.doc.name']];
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null;
}

export function documentItem({ path, prefix, title, attributes }: DoorstopDocument): SourceItem {
  const bare = {
    id: prefix,
    kind: 'document',
    title,
    path,
    line: ITEM_LINE,
    parentId: null,
  } as const;
  return { ...bareItem(bare), attributes, order: 0 };
}
