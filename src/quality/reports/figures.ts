// Numbers and times as reports write them: seconds in several spellings, dates with and without a
// zone, counts.

const YEAR_MS = 366 * 24 * 3600 * 1000;

/** A duration in milliseconds, rounded and within a year; null where it is none. */
export function boundedMs(ms: number): number | null {
  return Number.isFinite(ms) && ms >= 0 ? Math.min(Math.round(ms), YEAR_MS) : null;
}

/**
 * The milliseconds of a JUnit `time`: seconds, with `.` or `,` for the fraction, with separators of
 * thousands, in scientific notation, with a point and nothing behind.
 */
export function secondsToMs(text: string | undefined): number | null {
  if (text === undefined || text.trim() === '') return null;
  const direct = Number(text);
  if (!Number.isNaN(direct)) return boundedMs(direct * 1000);
  const trimmed = text.trim().replace(/\s*s(?:ec(?:onds)?)?$/i, '');
  if (!/^\d[\d.,' \u00a0\u202f]*(?:e[+-]?\d+)?$/i.test(trimmed)) return null;
  const plain = trimmed.replace(/[' \u00a0\u202f]/g, '');
  const [comma, point] = [plain.lastIndexOf(','), plain.lastIndexOf('.')];
  if (comma !== -1 && point !== -1) {
    const [thousands, fraction] = comma < point ? [',', '.'] : ['.', ','];
    return boundedMs(Number(plain.replaceAll(thousands, '').replace(fraction, '.')) * 1000);
  }
  const grouped =
    /^[1-9]\d{0,2}(?:,\d{3})+$/.test(plain) || /^[1-9]\d{0,2}(?:\.\d{3}){2,}$/.test(plain);
  return boundedMs(Number(grouped ? plain.replace(/[,.]/g, '') : plain.replace(',', '.')) * 1000);
}

export interface ReportTime {
  ms: number;
  zoned: boolean;
}

/**
 * Reads a time: RFC 3339 and what looks like it, RFC 5322, or seconds or milliseconds since 1970.
 * Without a zone it is taken as UTC.
 */
export function readTime(value: string | number | undefined | null): ReportTime | null {
  if (value === undefined || value === null || value === '') return null;
  const text = String(value).trim();
  if (/^\d{9,16}(?:\.\d+)?$/.test(text)) return epochTime(Number(text));
  const iso =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d|[+-]\d\d)?(?:\[[^\]]*\])?$/i.exec(
      text,
    );
  if (iso !== null) {
    const [, date, clock = '', fraction = '0', zone] = iso;
    const time = clock.length === 5 ? `${clock}:00` : clock;
    return timeOf(
      `${date}T${time}.${`${fraction}00`.slice(0, 3)}${zoneOf(zone)}`,
      zone !== undefined,
    );
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return timeOf(`${text}T00:00:00.000Z`, false);
  const worded = /^[A-Za-z]{3},? .{10,40}$/.test(text);
  return worded ? timeOf(text, /(?:GMT|UTC|[+-]\d{4})\b/.test(text)) : null;
}

/** A number since 1970: whatever is too small for milliseconds of this century is seconds. */
function epochTime(value: number): ReportTime | null {
  return timeOf(value < 1e11 ? value * 1000 : value < 1e14 ? value : value / 1000, true);
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined || /^z$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

function timeOf(value: string | number, zoned: boolean): ReportTime | null {
  const ms = typeof value === 'number' ? Math.round(value) : Date.parse(value);
  const sane = ms >= 0 && ms < 253_402_300_800_000;
  return sane ? { ms, zoned } : null;
}

/** Milliseconds since 1970 as RFC 3339 in UTC. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

export function readCount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
