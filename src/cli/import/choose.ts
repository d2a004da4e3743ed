// Which of the files that `pqrs import` has found are sources: those that a reader knows, those that it
// would know if they were whole, and those that API documents refer to.
import { open, readFile, stat } from 'node:fs/promises';
import { type ParseError, parse } from 'jsonc-parser';
import type { OnProgress } from '../../requirements/import/progress.ts';
import type { SourceFile } from '../../requirements/sources/model.ts';
import type { SentFile } from '../administration/administration.ts';
import { UsageError } from '../command.ts';
import type { NamedFile } from './files.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const HEAD_BYTES = 8192;

/**
 * Reads files, and chooses the sources among them.
 *
 * @returns the sources, and the paths of the others
 * @throws UsageError for a file that is too large, and could be a source
 */
export async function chooseSources(
  files: readonly NamedFile[],
  onProgress?: OnProgress,
): Promise<{ sources: SentFile[]; passedOver: string[] }> {
  const { openDetector } = await import('../../requirements/sources/detect.ts');
  const { isConfig } = await import('../../requirements/sources/doorstop/document.ts');
  const { referredFrom } = await import('../../requirements/sources/openapi/library.ts');
  const { decodeSource } = await import('../../requirements/sources/text.ts');
  // Only these say what others are: of the rest, one at a time is in memory.
  const detect = openDetector(
    await Promise.all(files.filter(({ name }) => isConfig(name)).map(readNamed)),
  );
  const sources: SentFile[] = [];
  const passedOver = new Map<string, NamedFile>();
  const referred: string[] = [];
  const add = (source: SourceFile, isApi: boolean) => {
    const { path, bytes } = source;
    sources.push({ path, contentBase64: Buffer.from(bytes).toString('base64') });
    if (isApi) referred.push(...referredFrom(source));
  };
  for (const [at, file] of files.entries()) {
    onProgress?.('reading', at, files.length);
    const source = (await isLargeBinary(file)) ? undefined : await readNamed(file);
    const format = source && detect(source);
    const isBroken = () =>
      /\.json$/i.test(file.name) && source && !isSomeJson(decodeSource(source.bytes).text);
    if (source && (format !== null || isBroken())) add(source, format === 'openapi');
    else passedOver.set(file.name, file);
  }
  for (let name = referred.pop(); name !== undefined; name = referred.pop()) {
    const file = passedOver.get(name);
    if (!file || !/\.(?:json|ya?ml)$/i.test(name)) continue;
    passedOver.delete(name);
    add(await readNamed(file), true);
  }
  return { sources, passedOver: [...passedOver.values()].map((file) => file.path) };
}

async function isLargeBinary({ path }: NamedFile): Promise<boolean> {
  if ((await stat(path)).size <= MAX_FILE_BYTES) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    return (
      head.includes(0) && !['PK', '\xff\xfe', '\xfe\xff'].includes(head.toString('latin1', 0, 2))
    );
  } finally {
    await file.close();
  }
}

async function readNamed({ path, name }: NamedFile): Promise<SourceFile> {
  const bytes = await readFile(path);
  if (bytes.byteLength > MAX_FILE_BYTES)
    throw new UsageError(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return { path: name, bytes };
}

function isSomeJson(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  return errors.length === 0;
}
