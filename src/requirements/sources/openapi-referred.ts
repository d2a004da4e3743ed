// The files that a text in JSON or YAML refers to (`$ref`), found without reading what it holds: more
// of them than those that hold routes.

import type { SourceFile } from './model.ts';
import { placeOf } from './openapi-references.ts';
import { decodeSource } from './text.ts';

const REFERENCE =
  /\$ref["']?[^\S\n]{0,9}:[^\S\n]{0,9}(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^\s,}\]"'][^\n,}\]]{0,2000}))/g;

/** The paths in the source set of the other files that a file refers to, each once. */
export function referredFrom({ path, bytes }: SourceFile): string[] {
  const paths = new Set<string>();
  for (const [, double, single, plain] of decodeSource(bytes).text.matchAll(REFERENCE)) {
    const ref = double?.replaceAll('\\/', '/') ?? single ?? plain?.replace(/\s+#.*$/, '').trim();
    const place = placeOf(ref ?? '', path);
    if ('path' in place && place.path !== path) paths.add(place.path);
  }
  return [...paths];
}

/** The files that some files refer to, and that these refer to, of those that there are. */
export function referredFiles(
  from: readonly SourceFile[],
  others: readonly SourceFile[],
): Set<SourceFile> {
  const byPath = new Map(others.map((file) => [file.path, file]));
  const found = new Set<SourceFile>();
  const open = [...from];
  for (let next = open.pop(); next && found.size < byPath.size; next = open.pop()) {
    for (const path of referredFrom(next)) {
      const file = byPath.get(path);
      if (!file || found.has(file)) continue;
      found.add(file);
      open.push(file);
    }
  }
  return found;
}
