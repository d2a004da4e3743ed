// Canonical JSON (RFC 8785) of plain values: keys sorted by their UTF-16 code units, no white space.

/** A value of strings, integers, booleans, null, lists and objects. */
export type PlainJson =
  | string
  | number
  | boolean
  | null
  | readonly PlainJson[]
  | { readonly [name: string]: PlainJson };

/** The canonical text of a value; members that are undefined are left out. */
export function canonicalJson(value: PlainJson): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as { readonly [name: string]: PlainJson };
  const members = Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name] as PlainJson)}`);
  return `{${members.join(',')}}`;
}
