// Which format a file of a source set has, by its path and by how it begins, and by the Doorstop
// document that it lies in. Nothing is parsed whole.

import { type DoorstopDocument, foldersOf, isConfig, readDocument } from './doorstop/document.ts';
import { parseUid, prefixKey } from './doorstop/uid.ts';
import { type SourceFile, type SourceFormat, SRS_FORMAT } from './model.ts';
import { hasSpecificationItem } from './openfasttrace/patterns.ts';
import { emptyResult, reportOn } from './report.ts';
import { decodeSource } from './text.ts';
import { SourceFault } from './tree/fault.ts';
import { topLevelOf } from './tree/json.ts';

/** How much of a file is looked at, where its end does not matter. */
const HEAD = 64 * 1024;
const MAX_CONFIG_BYTES = 64 * 1024;
const ITEM_FILE = /(?:^|\/)([^/]+)\.(?:(ya?ml)|md)$/i;

/**
 * Looks at a source set as a whole: a Doorstop document makes items of files that would be nothing
 * alone, since every field of an item has a default.
 * @param files - those of the set, or its `.doorstop.yml` files alone
 * @returns the format of a file of the set; null where it is none of those that are known
 */
export function openDetector(
  files: readonly SourceFile[],
): (file: SourceFile) => SourceFormat | null {
  const documents = new Map<string, DoorstopDocument>();
  for (const file of files) {
    const document = isConfig(file.path) ? documentOf(file) : null;
    if (document) documents.set(file.path.slice(0, file.path.lastIndexOf('/') + 1), document);
  }
  return (file) => {
    const alone = detectFormat(file);
    if (documents.size === 0 || !MAY_BE_ITEM.has(alone)) return alone;
    const folder = foldersOf(file.path).find((one) => documents.has(one)) ?? '';
    return isItem(file.path, documents.get(folder)) ? 'doorstop' : alone;
  };
}

const MAY_BE_ITEM: ReadonlySet<SourceFormat | null> = new Set([null, 'markdown', 'openfasttrace']);

function documentOf({ path, bytes }: SourceFile): DoorstopDocument | null {
  if (bytes.byteLength > MAX_CONFIG_BYTES) return null;
  try {
    const text = decodeSource(bytes).text.replace(/\r\n?/g, '\n');
    return readDocument(path, text, reportOn(emptyResult(), path));
  } catch (error) {
    if (error instanceof SourceFault) return null;
    throw error;
  }
}

/**
 * Whether a file of a document is named as its items are. YAML is nothing else there, even where the
 * document keeps Markdown; Markdown where it keeps YAML is read for what it is.
 */
function isItem(path: string, document: DoorstopDocument | undefined): boolean {
  const [, name = '', yaml] = ITEM_FILE.exec(path) ?? [];
  if (!document || name === '' || parseUid(name) === null) return false;
  if (document.itemFormat === 'yaml' && yaml === undefined) return false;
  const prefix = prefixKey(document.prefix);
  return (
    prefixKey(name).startsWith(prefix) &&
    /^(?:\d|[-_.]+[\p{L}\p{N}_])/u.test(name.slice(prefix.length))
  );
}

/**
 * The format of a file alone; null where it is none of those that are known.
 *
 * `.doorstop.yml` is Doorstop's; an item of a Doorstop document is known by its fields, where it has
 * enough of them.
 */
export function detectFormat({ path, bytes }: SourceFile): SourceFormat | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^\.doorstop\.(?:ya?ml|skip|skip-all)$/.test(name)) return 'doorstop';
  const extension = /\.([a-z]+)$/.exec(name)?.[1] ?? '';
  switch (extension) {
    case 'sdoc':
    case 'sgra':
      return 'strictdoc';
    case 'reqif':
    case 'reqifz':
      return 'reqif';
    case 'feature':
      return 'gherkin';
    case 'json':
      return formatOfJson(decodeSource(bytes).text);
    case 'yml':
    case 'yaml':
      return formatOfYaml(headOf(bytes));
    case 'md':
    case 'markdown':
      return formatOfMarkdown(decodeSource(bytes).text);
    case 'xml':
      return formatOfXml(headOf(bytes));
    case 'txt':
    case '':
      return formatOfText(headOf(bytes), bytes);
    default:
      return null;
  }
}

function headOf(bytes: Uint8Array): string {
  return decodeSource(bytes.subarray(0, HEAD)).text;
}

function formatOfJson(text: string): SourceFormat | null {
  const top = topLevelOf(text);
  if (top.get('format') === SRS_FORMAT) return 'srs-json';
  if (top.has('openapi') || top.has('swagger')) return 'openapi';
  const holdsNeeds = top.has('versions') || (top.has('needs') && top.has('current_version'));
  return holdsNeeds ? 'needs-json' : null;
}

const DOORSTOP_FIELDS =
  /^(?:active|derived|header|level|links|normative|ref|references|reviewed|text)[ \t]*:/gm;

function isDoorstopItem(yaml: string): boolean {
  const names = new Set(
    [...yaml.matchAll(DOORSTOP_FIELDS)].map(([field]) => field.split(':')[0]?.trim()),
  );
  return names.size >= 4 || (names.has('level') && names.has('reviewed'));
}

const FLOW_OPENAPI =
  /^(?:\s*(?:#|---)[^\n]*\n)*\s*\{(?:[^{}[\]]*[,\s])?["']?(?:openapi|swagger)["']?\s*:/;

function formatOfYaml(head: string): SourceFormat | null {
  if (/^(?:["']?)(?:openapi|swagger)(?:["']?)[ \t]*:/m.test(head)) return 'openapi';
  if (FLOW_OPENAPI.test(head)) return 'openapi';
  if (head.trimStart().startsWith('{')) return formatOfJson(head);
  return isDoorstopItem(head) ? 'doorstop' : null;
}

function formatOfMarkdown(text: string): SourceFormat {
  const front = /^---[ \t]*\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(
    text.slice(0, HEAD),
  );
  if (front && isDoorstopItem(front[1] ?? '')) return 'doorstop';
  return hasSpecificationItem(text) ? 'openfasttrace' : 'markdown';
}

function formatOfXml(head: string): SourceFormat | null {
  return /<(?:[\w.-]+:)?REQ-IF[\s>]/.test(head) ? 'reqif' : null;
}

function formatOfText(head: string, bytes: Uint8Array): SourceFormat | null {
  const start = head.trimStart();
  if (/^\[(?:DOCUMENT|GRAMMAR)\][ \t]*(?:\r?\n|$)/.test(start)) return 'strictdoc';
  if (start.startsWith('<')) return formatOfXml(head);
  if (start.startsWith('{')) return formatOfJson(decodeSource(bytes).text);
  return null;
}
