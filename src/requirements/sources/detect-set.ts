// Which format a file has among the others of its set: a Doorstop document makes items of files that
// would be nothing alone, since every field of an item has a default.
import { detectFormat } from './detect.ts';
import { type DoorstopDocument, foldersOf, isConfig, readDocument } from './doorstop/document.ts';
import { parseUid, prefixKey } from './doorstop/uid.ts';
import type { SourceFile, SourceFormat } from './model.ts';
import { emptyResult, reportOn } from './report.ts';
import { decodeSource } from './text.ts';
import { SourceFault } from './tree/fault.ts';

/** A larger `.doorstop.yml` is left to the reader, which may take its time. */
const CONFIG_BYTES_MOST = 64 * 1024;

const ITEM_FILE = /(?:^|\/)([^/]+)\.(?:(ya?ml)|md)$/i;

/** What a file is that says nothing of itself but by its extension, or by a word in its text. */
const UNTOLD: ReadonlySet<SourceFormat | null> = new Set([null, 'markdown', 'openfasttrace']);

/**
 * Looks at a source set as a whole.
 *
 * @returns the format of a file of the set; null where it is none of those that are known
 */
export function openDetector(
  files: readonly SourceFile[],
): (file: SourceFile) => SourceFormat | null {
  const documentAround = openDocuments(files);
  return (file) => {
    const alone = detectFormat(file);
    return UNTOLD.has(alone) && isItem(file.path, documentAround) ? 'doorstop' : alone;
  };
}

type FindDocument = (path: string) => DoorstopDocument | undefined;

/** Finds the document that a file lies in; its settings are read when they are first asked for. */
function openDocuments(files: readonly SourceFile[]): FindDocument {
  const configs = new Map<string, SourceFile>();
  for (const file of files) {
    if (isConfig(file.path)) configs.set(file.path.slice(0, file.path.lastIndexOf('/') + 1), file);
  }
  const read = new Map<string, DoorstopDocument | null>();
  return (path) => {
    for (const folder of configs.size === 0 ? [] : foldersOf(path)) {
      const config = configs.get(folder);
      if (!config) continue;
      if (!read.has(folder)) read.set(folder, documentOf(config));
      const document = read.get(folder);
      if (document) return document;
    }
    return undefined;
  };
}

function documentOf({ path, bytes }: SourceFile): DoorstopDocument | null {
  if (bytes.byteLength > CONFIG_BYTES_MOST) return null;
  try {
    const text = decodeSource(bytes).text.replace(/\r\n?/g, '\n');
    return readDocument(path, text, reportOn(emptyResult(), path));
  } catch (error) {
    if (error instanceof SourceFault) return null;
    throw error;
  }
}

/**
 * Whether a file lies in a document and is named as its items are. YAML is nothing else there, even
 * where the document keeps Markdown; Markdown where it keeps YAML is read for what it is.
 */
function isItem(path: string, documentAround: FindDocument): boolean {
  const [, name = '', yaml] = ITEM_FILE.exec(path) ?? [];
  if (name === '' || parseUid(name) === null) return false;
  const document = documentAround(path);
  if (!document || (document.itemFormat === 'yaml' && yaml === undefined)) return false;
  const prefix = prefixKey(document.prefix);
  return (
    prefixKey(name).startsWith(prefix) &&
    /^(?:\d|[-_.]+[\p{L}\p{N}_])/u.test(name.slice(prefix.length))
  );
}
