// What a JSON report holds, for the readers of its formats.
import { TEXT_LIMITS } from './model.ts';
import { boundedName } from './text.ts';

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
