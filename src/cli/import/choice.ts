// Which of the files that `pqrs import` has found are sources: those that a reader knows, those that it
// would know if they were whole, and those that API documents refer to.
import { open, readFile, stat } from 'node:fs/promises';
import type { OnProgress } from '../../requirements/import/progress.ts';
import type { SourceFile } from '../../requirements/sources/model.ts';
import type { SentFile } from '../administration/administration.ts';
import { UsageError } from '../command.ts';
import type { NamedFile } from './files.ts';
import { isJson } from './is-json.ts';

const FILE_BYTES_MOST = 64 * 1024 * 1024;
/** What may be a part of an API document. */
const PART = /\.(?:json|ya?ml)$/i;

/**
 * Reads files, and chooses the sources among them.
 *
 * @param onProgress - is told how far it is
 * @returns the sources, and the paths of the others
 * @throws UsageError for a file that is too large, and could be a source
 */
export async function chooseSources(
  files: readonly NamedFile[],
  onProgress?: OnProgress,
): Promise<{ sources: SentFile[]; passedOver: string[] }> {
  const { openDetector } = await import('../../requirements/sources/detect.ts');
  const { isConfig } = await import('../../requirements/sources/doorstop/document.ts');
  const { decodeSource } = await import('../../requirements/sources/text.ts');
  // Only these say what others are: of the rest, one at a time is held.
  const detect = openDetector(
    await Promise.all(files.filter(({ name }) => isConfig(name)).map(readNamed)),
  );
  const { referredFrom } = await import('../../requirements/sources/openapi/library.ts');
  const sources: SentFile[] = [];
  const passedOver = new Map<string, NamedFile>();
  const referred: string[] = [];
  for (const [at, file] of files.entries()) {
    onProgress?.('reading', at, files.length);
    if (await isLargeBinary(file)) {
      passedOver.set(file.name, file);
      continue;
    }
    const source = await readNamed(file);
    const { path, bytes } = source;
    const format = detect(source);
    if (format === 'openapi') referred.push(...referredFrom(source));
    const isBroken = () =>
      path.toLowerCase().endsWith('.json') && !isSomeJson(decodeSource(bytes).text);
    if (format !== null || isBroken()) sources.push(sent(source));
    else passedOver.set(file.name, file);
  }
  for (let name = referred.pop(); name !== undefined; name = referred.pop()) {
    const file = passedOver.get(name);
    if (!file || !PART.test(name)) continue;
    passedOver.delete(name);
    const source = await readNamed(file);
    sources.push(sent(source));
    referred.push(...referredFrom(source));
  }
  return { sources, passedOver: [...passedOver.values()].map((file) => file.path) };
}

function sent({ path, bytes }: SourceFile): SentFile {
  return { path, contentBase64: Buffer.from(bytes).toString('base64') };
}

const BEGINNING = 8192;

/** Whether a file is larger than a source may be, and by its beginning neither text nor an archive. */
async function isLargeBinary({ path }: NamedFile): Promise<boolean> {
  if ((await stat(path)).size <= FILE_BYTES_MOST) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    const beginning = buffer.subarray(0, bytesRead);
    const known = ['PK', '\xff\xfe', '\xfe\xff'];
    return beginning.includes(0) && !known.includes(beginning.toString('latin1', 0, 2));
  } finally {
    await file.close();
  }
}

async function readNamed({ path, name }: NamedFile): Promise<SourceFile> {
  const bytes = await readFile(path);
  if (bytes.byteLength > FILE_BYTES_MOST)
    throw new UsageError(`${path} is larger than ${FILE_BYTES_MOST} bytes`);
  return { path: name, bytes };
}

/** Whether a text is JSON, or what tools take for it in their settings: with comments and commas. */
function isSomeJson(text: string): boolean {
  return isJson(text) || isJson(withoutComments(text));
}

function withoutComments(text: string): string {
  return text
    .replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1')
    .replace(/("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[}\]])/g, '$1');
}
