// Rows as they are answered.
import type { Static, TObject } from '@sinclair/typebox';

/** Of some values those that a schema names, in its order: what it does not name is not answered. */
export function shownBy<S extends TObject>(schema: S, values: object): Static<S> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = (values as Record<string, unknown>)[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown as Static<S>;
}
