// What a JSON report holds, and where it was cut off, for the readers of its formats.
import { TEXT_LIMITS } from './model.ts';
import { boundedName } from './text.ts';

export type JsonObject = Record<string, unknown>;

export interface JsonDocument {
  value: unknown;
  /** Keys and indexes from the root to where it was cut off; undefined for a whole one. */
  cutAt: readonly (string | number)[] | undefined;
}

export function cutIndex({ cutAt = [] }: JsonDocument, list: readonly string[]): number {
  const index = cutAt[list.length];
  const isThere = list.every((key, at) => cutAt[at] === key);
  return isThere && typeof index === 'number' ? index : -1;
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function parametersOf(value: unknown): Record<string, string> | null {
  const given: JsonObject | undefined = Array.isArray(value) ? { ...value } : objectOf(value);
  const entries = Object.entries(given ?? {}).slice(0, TEXT_LIMITS.parameters);
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
