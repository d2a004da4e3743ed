// Reads the fields of JSON reports as people write them: a field of another type than expected is
// as if it were not there.

export type JsonObject = Record<string, unknown>;

/** An object; undefined for anything else, lists and null included. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** A text that is not blank; a number or a truth value as its text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return /\S/.test(value) ? value : undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A number, also one that is written as a text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The texts of a list, or a single one. */
export function textsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map(textOf).filter((text) => text !== undefined);
}

/** A value as a text: texts as they are, the rest as JSON, shortened. */
export function writtenOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested too deep to be written.
    return '…';
  }
}
