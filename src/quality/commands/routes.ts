// Route of reading test commands.
import { endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok } from '../../http/api/reply.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Quality } from '../quality.ts';
import { CommandQuery, listCommandRows, statsOfAll } from './query.ts';
import { getCommand } from './rows.ts';
import { statsOf } from './stats.ts';
import { commandEtag, commandView, seesValues } from './view.ts';

export function readCommands({ database }: Quality) {
  const db = database.read;
  return endpoint({
    docs: async () => (await import('./docs.ts')).READ_COMMANDS_DOCS,
    query: CommandQuery,
    async handler({ query, caller, request, now }) {
      const onlooker = { seesValues: seesValues(caller), now };
      if (query.id !== undefined) {
        const row = await getCommand(db, caller.projectId, query.id);
        const view = commandView(row, await statsOf(db, row.id), onlooker);
        return ok(view, { etag: commandEtag(view) });
      }
      const filters = filterHash('listTestCommands', query);
      const behind = decodeCursor(filters, query.cursor);
      const limit = query.limit ?? PAGE_DEFAULT;
      const rows = await listCommandRows(db, caller.projectId, query, { behind, limit, now });
      const stats = await statsOfAll(db, rows);
      const page = pageOf(
        rows,
        limit,
        filters,
        (row) => row.seq,
        (row) => commandView(row, stats.get(row.id), onlooker),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
  });
}
