// Numbers and times as reports write them.
import { TEXT_LIMITS } from './model.ts';
import { boundedName } from './text.ts';

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

export function writtenOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested too deep to be written.
    return '…';
  }
}
