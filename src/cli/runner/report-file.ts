// A report file on disk, and the files that it names as attachments: `[[ATTACHMENT|path]]` in the output of
// JUnit, its property `attachment`, attachments in CTRF. Messages, which a tested page writes, name none.
import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { lstat, open, readFile, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Mask } from '../../masking/mask.ts';
import {
  createProblems,
  DETECT_BYTES,
  formatOfBytes,
  type ReaderFormat,
} from '../../quality/reports/model.ts';
import { createXmlInput } from '../../quality/reports/xml-input.ts';
import { whyNotNamed } from './folder.ts';

export type ReportFile = Awaited<ReturnType<typeof inspectReport>>;

export const MEDIA_TYPES: Readonly<Record<ReaderFormat, string>> = {
  junit: 'application/xml',
  ctrf: 'application/vnd.ctrf+json',
  tap: 'text/tap',
  json: 'application/json',
  pqrs: 'application/json',
};

/** There is no report at a path, as its text says. */
export class NoFile extends Error {
  override name = 'NoFile';
}

/**
 * Hashes a report as a stream. Links are not followed: a tested page could lead them anywhere.
 * @throws NoFile; an error of the system where it cannot be read
 */
export async function inspectReport(path: string, to?: string, mask?: Mask) {
  // A pipe would keep whoever opens it waiting.
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw new NoFile(`${path} is a link, which is not followed`);
  if (!found.isFile()) throw new NoFile(`${path} is not a file`);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { mtimeMs } = await file.stat();
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  async function* hashed(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      if (head.length < DETECT_BYTES) head = Buffer.concat([head, chunk]);
      hash.update(chunk);
      yield chunk;
    }
  }
  const content = file.createReadStream();
  const chunks = hashed(mask?.chunks(content) ?? content);
  if (to === undefined) for await (const _ of chunks);
  else await pipeline(chunks, createWriteStream(to, { mode: 0o600 }));
  const format = formatOfBytes(head.subarray(0, DETECT_BYTES));
  return {
    path: to ?? path,
    sha256: hash.digest('hex'),
    modifiedAt: Math.floor(mtimeMs),
    /** By its content; undefined where that does not show it. */
    mediaType: format && MEDIA_TYPES[format],
  };
}

interface EvidencePlace {
  /** The folder of the report, which names are relative to. */
  base: string;
  /** The folder that the command ran in, without links: files must lie in it, links followed. */
  cwd: string;
  /** Files are to be written since (epoch, ms, by the clock of the file system). */
  since: number;
  /** What the agent was started with, which no report names. */
  protectedFiles: readonly string[];
}

/** Of all of them together. */
const LIMITS = { files: 19, bytes: 100 * 1024 * 1024 };
/** A larger CTRF report is not looked into: it would be read whole. */
const CTRF_MAX_BYTES = 16 * 1024 * 1024;
const MAX_NAMES = 1000;
/** Of the output of a test, which names files in its lines. */
const MAX_TEXT = 16 * 1024 * 1024;
const LINE = /^\s*\[\[ATTACHMENT\|([^\]|\r\n]{1,4096})(?:\|.*)?\]\]\s*$/;

export async function findEvidence(
  report: { path: string; format: string },
  place: EvidencePlace,
  limits = LIMITS,
): Promise<string[]> {
  const found = new Set<string>();
  let left = limits.bytes;
  for (const name of await namesIn(report)) {
    if (found.size >= limits.files) break;
    const path = await realpath(resolve(place.base, name)).catch(() => undefined);
    if (path === undefined || found.has(path) || (await whyNotNamed(path, place))) continue;
    const about = await stat(path).catch(() => undefined);
    if (!about?.isFile() || about.mtimeMs < place.since || about.size > left) continue;
    found.add(path);
    left -= about.size;
  }
  return [...found];
}

async function namesIn({ path, format }: { path: string; format: string }): Promise<string[]> {
  if (format === 'junit') return namesInJunit(createReadStream(path));
  if (format !== 'ctrf' || (await stat(path)).size > CTRF_MAX_BYTES) return [];
  return namesInCtrf(await readFile(path, 'utf8'));
}

export async function namesInJunit(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  const names = new Set<string>();
  const add = (name: string | undefined) => {
    if (name && names.size < MAX_NAMES) names.add(name);
  };
  const open: string[] = [];
  /** Of the element that is open, where it may name a file. */
  let text = '';
  const handlers = {
    open(name: string, attributes: Record<string, string>) {
      const isAttachment = name === 'property' && attributes.name === 'attachment';
      if (isAttachment) add(attributes.value);
      open.push(isAttachment ? 'attachment' : name);
      text = '';
    },
    close() {
      const name = open.pop();
      if (name === 'attachment') add(text.trim());
      else for (const line of text.split(/\r\n|\r|\n/)) add(LINE.exec(line)?.[1]);
      text = '';
    },
    text(more: string) {
      const mayName = ['attachment', 'system-out', 'system-err'].includes(open.at(-1) ?? '');
      if (mayName) text += more.slice(0, MAX_TEXT - text.length);
    },
  };
  const input = createXmlInput(handlers, createProblems());
  for await (const chunk of chunks) input.write(chunk);
  input.end();
  return [...names];
}

interface CtrfTest {
  attachments?: ({ path?: unknown } | null)[];
  retryAttempts?: CtrfTest[];
}

function namesInCtrf(text: string): string[] {
  try {
    const { results } = JSON.parse(text) as { results: { tests: CtrfTest[] } };
    const attempts = results.tests.flatMap((one) => [one, ...(one.retryAttempts ?? [])]);
    const paths = attempts.flatMap(({ attachments = [] }) => attachments.map((one) => one?.path));
    return [...new Set(paths.filter((path) => typeof path === 'string'))].slice(0, MAX_NAMES);
  } catch {
    // What cannot be read names nothing; the server says what is wrong with it.
    return [];
  }
}
