// Route of reading test commands.
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, nextLink, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Quality } from '../quality.ts';
import { stripsOf } from '../runs/strips.ts';
import { CommandPage, CommandQuery, TestCommand } from './model.ts';
import {
  commandEtag,
  commandView,
  getCommand,
  listCommandRows,
  statsOf,
  statsOfAll,
} from './rows.ts';

export const commandRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'commands', prefix: '/test-commands' }).use(api(quality)).get(
    '',
    async ({ query, caller, request, now }) => {
      const db = quality.database.read;
      const { capabilities } = caller;
      const seesValues = capabilities.has('project:owner') || capabilities.has('agent:execute');
      const shown = { seesValues, now };
      if (query.id !== undefined) {
        const row = await getCommand(db, caller.projectId, query.id);
        const stripOf = await stripsOf(db, 'command', [row.id]);
        const view = commandView(row, await statsOf(db, row.id), stripOf(row.id), shown);
        return ok(view, { etag: commandEtag(view) });
      }
      const filters = filterHash('listTestCommands', query);
      const behind = decodeCursor(filters, query.cursor);
      const limit = query.limit ?? PAGE_DEFAULT;
      const rows = await listCommandRows(db, caller.projectId, query, { behind, limit, now });
      const ids = rows.map(({ id }) => id);
      const stats = await statsOfAll(db, ids);
      const stripOf = await stripsOf(db, 'command', ids.slice(0, limit));
      const page = pageOf(
        rows,
        limit,
        filters,
        (row) => row.seq,
        (row) => commandView(row, stats.get(row.id), stripOf(row.id), shown),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'listTestCommands', docs: READ_COMMANDS_DOCS },
      query: queryOf(CommandQuery),
      response: answers({ 200: Type.Union([CommandPage, TestCommand]) }),
    },
  );

const READ_COMMANDS_DOCS: OperationDocs = {
  description:
    'Test commands, the newest first; `id` answers one bare. A command whose quarantine is over is `active` again, ' +
    'though its `quarantine` still says how long it was set aside.',
  replies: {
    200: {
      description: 'A page of test commands, or one',
      headers: ['ETag', 'Link'],
    },
  },
};
