// A condition on columns that hold a JSON list.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Whether the list of a column holds one of some values, none of which is folded. */
export function listHolds(column: SQLWrapper, wanted: readonly string[]): SQL {
  const values = sql.join(
    wanted.map((value) => sql`${value}`),
    sql`, `,
  );
  return sql`exists (select 1 from json_each(${column}) where value in (${values}))`;
}
