// Texts, names of files, numbers and times of a report: within their limits, and alike whatever wrote them.
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { TEXT_LIMITS } from './model.ts';

const PLAIN = /^[ -%'-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g;
// Sequences of ECMA-48; bun 1.3 writes their ESC as a reference, which XML does not allow either.
const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with ESC.
  /(?:\x1b|&#(?:27|x1b);)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/gi;
const CUT = '… [cut]';
const MAX_NAME_READ = 64 * 1024;

/** Without what terminals and XML take for more than text. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replace(TERMINAL, '').replace(CONTROL, '');
}

/** Cleans a text and cuts it to a number of bytes of UTF-8, with a mark; null for a blank one. */
export function boundedText(text: string | null | undefined, bytes: number): string | null {
  if (text === null || text === undefined) return null;
  // What is far too long is cut before it is looked at, so that hostile texts cost nothing.
  const near = text.length > 4 * bytes ? text.slice(0, 4 * bytes) : text;
  const clean = cleanText(near);
  if (!/\S/.test(clean)) return null;
  if (near === text && (clean.length * 3 <= bytes || Buffer.byteLength(clean) <= bytes)) {
    return clean;
  }
  const left = new Uint8Array(bytes - Buffer.byteLength(CUT));
  const { read } = new TextEncoder().encodeInto(clean, left);
  return `${clean.slice(0, read)}${CUT}`;
}

export function wholeName(text: string): string {
  return cleanText(text.slice(0, MAX_NAME_READ)).trim();
}

/** A longer name ends with a hash of the whole, so that two that differ anywhere still differ. */
export function boundedName(text: string, limit: number = TEXT_LIMITS.name): string {
  const clean = wholeName(text);
  if (clean.length <= limit) return clean;
  const mark = `… [${hash('sha256', clean, 'hex').slice(0, 16)}]`;
  return `${clean.slice(0, limit - mark.length).toWellFormed()}${mark}`;
}

export function boundedField(text: string | null | undefined): string | null {
  return (text && boundedName(text, 300)) || null;
}

export function boundedPath(path: readonly string[]): string[] {
  const names = path.map((name) => boundedName(name)).filter((name) => name !== '');
  if (names.length <= TEXT_LIMITS.path) return names;
  const first = names.slice(0, TEXT_LIMITS.path - 1);
  return [...first, boundedName(names.slice(TEXT_LIMITS.path - 1).join(' > '))];
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kts?|scala|groovy|cs|fs|vb|c|cc|cpp|cxx|mm?|swift|dart|exs?|erl|lua|pl|t|sh|bats|ps1|feature|robot|ya?ml|html|vue|svelte)$/i;
const TEST_FILE = /^[\w.-]+[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/i;

export function looksLikeFile(name: string): boolean {
  if (name.length > 1024 || /[\n\r\t<>"|?*]/.test(name)) return false;
  if (TEST_FILE.test(name)) return true;
  return /[/\\]/.test(name) && !name.includes('://') && SOURCE.test(name) && !/ [>›] /.test(name);
}

/** A file with forward slashes, without `.`, `..` and `file://` as far as that can be. */
export function plainFile(file: string): string {
  // Most names need nothing done, and there is one for every result.
  if (!/\\|^file:|^\.|\/\.|\/\/|^\s|\s$/.test(file)) return file;
  const [, path] = /^file:\/\/(?:localhost)?(?:\/(?=[A-Za-z]:))?(.*)$/is.exec(file) ?? [];
  return posix.normalize((path === undefined ? file : decoded(path)).trim().replaceAll('\\', '/'));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The file of a test as its key has it: relative to the root where it lies under it. */
export function fileUnder(root: string | null | undefined, file: string): string {
  const plain = plainFile(file);
  const folder = plainFile(root ?? '').replace(/\/+$/, '');
  if (folder === '' || folder === '.') return plain;
  const isWindows = /^[A-Za-z]:/.test(folder);
  const same = (text: string) => (isWindows ? text.toLowerCase() : text);
  return same(plain).startsWith(`${same(folder)}/`) ? plain.slice(folder.length + 1) : plain;
}

const YEAR_MS = 366 * 24 * 3600 * 1000;

/** A duration in milliseconds, rounded and within a year; null where it is none. */
export function boundedMs(ms: unknown): number | null {
  const isDuration = typeof ms === 'number' && Number.isFinite(ms) && ms >= 0;
  return isDuration ? Math.min(Math.round(ms), YEAR_MS) : null;
}

/** The milliseconds of a JUnit `time`: seconds, which Surefire writes with commas (`1,234.567`). */
export function secondsToMs(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null;
  const seconds = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(text) ? text.replaceAll(',', '') : text;
  return boundedMs(Number(seconds) * 1000);
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Reads RFC 3339 and ISO 8601, or seconds or milliseconds since 1970. Without a zone it is UTC. */
export function readTime(value: unknown) {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    return { ms: Math.round(number < 1e11 ? number * 1000 : number), zoned: true };
  }
  const [, date, clock = '00:00', zone] = ISO.exec(text) ?? [];
  if (date === undefined) return null;
  const offset = zone?.replace(
    /^(.\d\d):?(\d\d)?$/,
    (_, hours, minutes = '00') => `${hours}:${minutes}`,
  );
  const ms = Date.parse(`${date}T${clock}${offset?.toUpperCase() ?? 'Z'}`);
  return ms >= 0 ? { ms, zoned: zone !== undefined } : null;
}

export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

/** A count, as a number or as the digits of one; null for anything else. */
export function readCount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export type JsonObject = Record<string, unknown>;

export interface JsonDocument {
  value: unknown;
  /** Whether it ends before its end: the last thing in it may be half of one. */
  isCut: boolean;
}

/** The items of a list; without the last one where that may be half of one. */
export function wholeItems({ isCut }: JsonDocument, list: unknown): unknown[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return isCut ? items.slice(0, -1) : items;
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function parametersOf(value: unknown): Record<string, string> | null {
  const entries = Object.entries(objectOf(value) ?? {}).slice(0, TEXT_LIMITS.parameters);
  if (entries.length === 0) return null;
  return Object.fromEntries(
    entries.map(([name, one]) => [
      boundedName(name, 200),
      boundedName(writtenOf(one), TEXT_LIMITS.parameter),
    ]),
  );
}

function writtenOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested too deep to be written.
    return '…';
  }
}
