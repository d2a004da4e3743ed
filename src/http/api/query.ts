// Query parameters, strict: unknown ones and repeats where one is meant are refused, numbers and
// booleans are read by their schema, a list is a repeated parameter.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { FieldError } from '../../errors.ts';
import { type StandardSchema, standardSchema } from '../../model/schemas.ts';
import { compileCheck, invalidFields } from '../../model/validate.ts';

/**
 * @param schema - an object with one property a parameter; an array property may be repeated, and
 *   where its items are an enumeration it may be comma separated
 * @returns a function of the query string (without `?`), which throws Problem `invalid`
 */
export function compileQuery<S extends TSchema>(schema: S): (search: string) => Static<S> {
  const check = compileCheck(schema);
  const properties = schema.properties as Record<string, TSchema>;
  let none: Static<S> | undefined;
  return (search) => {
    if (search === '') {
      // Where nothing is required, there is nothing to check, and no check to compile.
      none ??= Object.freeze(schema.required?.length ? check({}) : ({} as Static<S>));
      return none;
    }
    const values: Record<string, unknown> = {};
    const errors: FieldError[] = [];
    for (const [name, text] of parametersOf(search)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const refuse = (detail: string) => errors.push({ pointer: `/${name}`, detail });
      if (!property) refuse('is not a parameter of this operation');
      // The database would take such a text to end there.
      else if (text.includes('\0')) refuse('must not hold the character NUL');
      else if (property.type === 'array')
        values[name] = [...((values[name] as unknown[]) ?? []), ...listed(property, text)];
      else if (Object.hasOwn(values, name)) refuse('may be given once');
      else values[name] = typed(property, text);
    }
    if (errors.length > 0) throw invalidFields(errors);
    return check(values);
  };
}

export function queryOf<S extends TSchema>(schema: S): StandardSchema<Static<S>> & { schema: S } {
  const read = compileQuery(schema);
  return {
    schema,
    ...standardSchema<Static<S>>((search) => ({ value: read(search as string) })),
  };
}

/** The query of an operation that has none. */
export const noQuery = queryOf(Type.Object({}, { additionalProperties: false }));

/** Names and values in their order (application/x-www-form-urlencoded). */
function parametersOf(search: string): Iterable<[string, string]> {
  if (/[%+]/.test(search)) return new URLSearchParams(search);
  // Nothing is encoded, as in most requests: this is five times as fast.
  return search.split('&').flatMap((pair): [string, string][] => {
    if (pair === '') return [];
    const at = pair.indexOf('=');
    return [at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]];
  });
}

function listed(property: TSchema, text: string): string[] {
  return (property.items as TSchema).enum ? text.split(',') : [text];
}

function typed(property: TSchema, text: string): unknown {
  if (property.type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (property.type === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text);
  if (property.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
