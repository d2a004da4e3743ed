// Files for readers of sources: from a folder, or from texts in a test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import type { SourceFile } from '../../src/requirements/sources/model.ts';

/** Reads a folder with all below it, as the files of a source set. */
export function filesIn(folder: string): SourceFile[] {
  const paths = [...new Glob('**/*').scanSync({ cwd: folder, dot: true })].sort();
  return paths.map((path) => ({ path, bytes: new Uint8Array(readFileSync(join(folder, path))) }));
}

/** Makes files of texts, by their paths. */
export function filesOf(texts: Record<string, string>): SourceFile[] {
  const encoder = new TextEncoder();
  return Object.entries(texts).map(([path, text]) => ({ path, bytes: encoder.encode(text) }));
}
