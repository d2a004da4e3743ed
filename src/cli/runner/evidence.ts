// The files that a report names as attachments: `[[ATTACHMENT|path]]` in JUnit (Jenkins, GitLab,
// Playwright) and the attachments of CTRF. Only files within the work folder are taken.
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { isInside } from './item-paths.ts';

export interface NamedFile {
  path: string;
  name: string;
  mediaType: string;
  bytes: number;
}

export interface EvidenceLimits {
  files: number;
  /** Of all of them together. */
  bytes: number;
}

export const EVIDENCE_LIMITS: EvidenceLimits = { files: 19, bytes: 100 * 1024 * 1024 };
/** A larger CTRF report is not looked into: it would be read whole. */
const CTRF_MOST_BYTES = 16 * 1024 * 1024;
const NAME_MOST = 4096;

/**
 * Finds the files that a report names.
 *
 * @param report - its path and format
 * @param bases - folders that its paths may be relative to, the first that has the file counts
 * @param within - the folder that they must be in, links followed
 */
export async function findEvidence(
  report: { path: string; format: string },
  { bases, within }: { bases: readonly string[]; within: string },
  limits: EvidenceLimits = EVIDENCE_LIMITS,
): Promise<NamedFile[]> {
  const names = await namesIn(report);
  const found = new Map<string, NamedFile>();
  let left = limits.bytes;
  for (const name of names) {
    if (found.size >= limits.files) break;
    const file = await fileNamed(name, bases, within);
    if (file === undefined || found.has(file.path) || file.bytes > left) continue;
    found.set(file.path, file);
    left -= file.bytes;
  }
  return [...found.values()];
}

async function namesIn({ path, format }: { path: string; format: string }): Promise<Set<string>> {
  if (format === 'junit') return namesInText(createReadStream(path, { encoding: 'utf8' }));
  if (format !== 'ctrf' || (await stat(path)).size > CTRF_MOST_BYTES) return new Set();
  const text = await readFile(path, 'utf8');
  const names = new Set<string>();
  try {
    JSON.parse(text, (key, value) => {
      if (key === 'attachments' && Array.isArray(value)) {
        for (const one of value) if (typeof one?.path === 'string') names.add(one.path);
      }
      return value;
    });
  } catch {
    // What cannot be read names nothing; the server says what is wrong with it.
  }
  return names;
}

/** The names in `[[ATTACHMENT|…]]`, over the borders of chunks. */
export async function namesInText(chunks: AsyncIterable<string>): Promise<Set<string>> {
  const names = new Set<string>();
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let seen = 0;
    for (const match of text.matchAll(/\[\[ATTACHMENT\|([^\]\r\n]{1,4096})\]\]/g)) {
      names.add(unescaped(match[1] ?? ''));
      seen = match.index + match[0].length;
    }
    rest = text.slice(Math.max(seen, text.length - NAME_MOST - 16));
  }
  return names;
}

function unescaped(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replaceAll(
    /&(amp|lt|gt|quot|apos);/g,
    (whole, name: string) => entities[name] ?? whole,
  );
}

async function fileNamed(
  name: string,
  bases: readonly string[],
  within: string,
): Promise<NamedFile | undefined> {
  if (name.includes('\0')) return undefined;
  for (const base of bases) {
    const path = await realpath(resolve(base, name)).catch(() => undefined);
    if (path === undefined || !isInside(within, path)) continue;
    const about = await stat(path).catch(() => undefined);
    if (!about?.isFile()) continue;
    const mediaType = 'application/octet-stream';
    return { path, name: basename(path), mediaType, bytes: about.size };
  }
  return undefined;
}

/** The folders that paths in a report may be relative to. */
export function basesOf(report: string, cwd: string): string[] {
  return [dirname(report), cwd];
}
