// Which of the files that `pqrs import` has found are sources: those that a reader knows, those that it
// would know if they were whole, and those that API documents refer to.
import { readFile, stat } from 'node:fs/promises';
import { type ParseError, parse } from 'jsonc-parser';
import type { OnProgress } from '../../requirements/import/progress.ts';
import type { SourceFile } from '../../requirements/sources/model.ts';
import type { SentFile } from '../administration/administration.ts';
import type { NamedFile } from './files.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads files, and chooses the sources among them; gives those, and the paths of the others. */
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
    const isTooLarge = (await stat(file.path)).size > MAX_FILE_BYTES;
    const source = isTooLarge ? undefined : await readNamed(file);
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

async function readNamed({ path, name }: NamedFile): Promise<SourceFile> {
  return { path: name, bytes: await readFile(path) };
}

function isSomeJson(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  return errors.length === 0;
}
