// Prepared Drizzle queries: built once for each connection they run on.
import type { Db } from '../database.ts';

/**
 * Makes a query that is built at its first use on a connection and kept.
 *
 * @param build - builds and prepares the query, with placeholders for what differs
 * @returns a function that gives the prepared query of a connection
 */
export function prepared<Q>(build: (db: Db) => Q): (db: Db) => Q {
  const queries = new WeakMap<Db, Q>();
  return (db) => {
    let query = queries.get(db);
    if (query === undefined) {
      query = build(db);
      queries.set(db, query);
    }
    return query;
  };
}
