// The parameters of a test as texts by name, as test keys and answers have them.
import { type JsonObject, objectOf, writtenOf } from './json-fields.ts';
import { TEXT_LIMITS } from './model.ts';
import { boundedName } from './text.ts';

/** Parameters of an object, or of a list, by position; null where there are none. */
export function parametersOf(value: unknown): Record<string, string> | null {
  const given: JsonObject | undefined = Array.isArray(value) ? { ...value } : objectOf(value);
  if (given === undefined) return null;
  const names = Object.keys(given).slice(0, TEXT_LIMITS.parameters);
  if (names.length === 0) return null;
  return Object.fromEntries(
    names.map((name) => [
      boundedName(name, 200),
      boundedName(writtenOf(given[name]), TEXT_LIMITS.parameter),
    ]),
  );
}
