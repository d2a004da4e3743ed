// A body without what was lent to the token that sends it.
import type { TSchema } from '@sinclair/typebox';
import type { Mask } from './mask.ts';

export interface Lent {
  /** The values of the credentials. */
  values: readonly string[];
  /** Undefined where no value is long enough to be looked for. */
  mask: Mask | undefined;
  /** Whether archives may be sent, in which nothing is found. */
  allowsArchives: boolean;
}

type MaskText = (text: string) => string;

const MAX_DEPTH = 64;

/**
 * Masks every text of a JSON value, and the names of members that its schema leaves open. A word of
 * the interface (`running`) stays, though a secret may be the same.
 * @param schemas - those that the value may be of; empty where that is not known
 */
export function maskBody(
  value: unknown,
  schemas: readonly TSchema[],
  mask: MaskText,
  depth = 0,
): unknown {
  // What is nested deeper is refused whatever it holds.
  if (depth > MAX_DEPTH) return value;
  const known = schemas.flatMap(alternatives);
  if (typeof value === 'string')
    return known.some((one) => isWord(one, value)) ? value : mask(value);
  if (Array.isArray(value)) {
    const items = known.flatMap((one) => (one.items as TSchema | undefined) ?? []);
    return value.map((one) => maskBody(one, items, mask, depth + 1));
  }
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const fields = known.flatMap((one) => (one.properties as Fields | undefined)?.[name] ?? []);
      if (fields.some((one) => one.writeOnly === true)) return [name, member];
      if (fields.length > 0) return [name, maskBody(member, fields, mask, depth + 1)];
      return [mask(name), maskBody(member, known.flatMap(ofOpenMembers), mask, depth + 1)];
    }),
  );
}

type Fields = Record<string, TSchema>;

function alternatives(schema: TSchema): TSchema[] {
  const others = (schema.anyOf ?? schema.allOf) as TSchema[] | undefined;
  return others ? others.flatMap(alternatives) : [schema];
}

function isWord(schema: TSchema, value: string): boolean {
  return schema.const === value || (schema.enum as unknown[] | undefined)?.includes(value) === true;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

function ofOpenMembers({ patternProperties, additionalProperties }: TSchema): TSchema[] {
  const open = Object.values((patternProperties ?? {}) as Fields);
  return typeof additionalProperties === 'object' ? [...open, additionalProperties] : open;
}
