// Long lists in parts that one statement of the database takes.

/** How many ids one statement takes. */
const IDS_AT_ONCE = 500;

/** A list in parts that one statement takes. */
export function* chunksOf<T>(list: readonly T[], size = IDS_AT_ONCE): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
