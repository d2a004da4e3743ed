// Routes of system logs.
import { Type } from '@sinclair/typebox';
import { entriesBody, mergePatchBody } from '../http/body.ts';
import type { Caller } from '../http/caller.ts';
import { type Call, endpoint } from '../http/endpoint.ts';
import { etagOf } from '../http/etag.ts';
import { decodeCursor, filterHash, nextLink, PAGE_DEFAULT, pageOf } from '../http/pages.ts';
import { invalid } from '../http/problem.ts';
import { created, ok, type Reply } from '../http/reply.ts';
import type { Evidence } from './evidence.ts';
import {
  getLogRow,
  listLogGroups,
  listLogRows,
  logGroupView,
  logView,
  occurrencesOf,
  settleLogEntries,
  writeLogEntries,
} from './log-entries.ts';
import {
  LogEntry,
  LogEntryBody,
  type LogFilters,
  LogGroup,
  LogPatch,
  LogQuery,
} from './log-model.ts';

const LOG_EXAMPLE = {
  id: 'log_01k4mz5f7tk6mwx3n4p8q9r0uv',
  at: '2026-01-31T12:00:00.000Z',
  level: 'error',
  source: 'checkout',
  message: 'payment 4711 timed out after 30000 ms',
  fields: { paymentId: 4711 },
  route: '/checkout',
  runId: null,
  issueId: null,
  fingerprint: 'l1:2c26b46b68ffc68ff99b453c1d304134',
  occurrences: 3,
  state: 'open',
  note: null,
  version: 1,
};

/** A demo token does not see what the service itself notes. */
function seesOwn(caller: Caller): boolean {
  return caller.capability !== 'read:demo';
}

export function readLogs({ database, logsIndex }: Evidence) {
  const db = database.read;
  return endpoint({
    docs: {
      description:
        'Entries, the newest first; `id` answers one bare, `view=groups` groups them by fingerprint. What the service ' +
        'itself notes about the project has the source `pqrs`.',
      replies: {
        200: {
          description: 'A page of entries, a page of groups, or one entry',
          schema: Type.Union([
            Type.Object({
              items: Type.Array(LogEntry),
              nextCursor: Type.Union([Type.String(), Type.Null()]),
            }),
            Type.Object({
              items: Type.Array(LogGroup),
              nextCursor: Type.Union([Type.String(), Type.Null()]),
            }),
            LogEntry,
          ]),
          example: { items: [LOG_EXAMPLE], nextCursor: null },
        },
      },
      problems: ['not_found'],
    },
    query: LogQuery,
    async handler(call) {
      const { query, caller } = call;
      if (query.id !== undefined) {
        const row = await getLogRow(db, caller.projectId, query.id, seesOwn(caller));
        const counts = await occurrencesOf(db, caller.projectId, [row]);
        const view = logView(row, counts.get(row.fingerprint) ?? 1);
        return ok(view, { etag: etagOf(row.version, JSON.stringify(view)) });
      }
      return query.view === 'groups' ? groups(call) : entries(call);
    },
  });

  async function entries({ query, caller, request }: Call<LogFilters, undefined>): Promise<Reply> {
    const filters = filterHash('listSystemLogs', query);
    const behind = decodeCursor(filters, query.cursor);
    const limit = query.limit ?? PAGE_DEFAULT;
    if (query.q !== undefined) await logsIndex.upToDate();
    const rows = await listLogRows(db, caller.projectId, query, behind, limit, seesOwn(caller));
    const counts = await occurrencesOf(db, caller.projectId, rows);
    const page = pageOf(
      rows,
      limit,
      filters,
      (row) => row.seq,
      (row) => logView(row, counts.get(row.fingerprint) ?? 1),
    );
    return ok(page, { headers: nextLink(request, page) });
  }

  async function groups({ query, caller, request }: Call<LogFilters, undefined>): Promise<Reply> {
    const { view: _view, limit: _limit, cursor: _cursor, ...others } = query;
    const [other] = Object.keys(others);
    if (other) throw invalid(`/${other}`, 'does not go with view=groups');
    const filters = filterHash('listSystemLogs', query);
    const behind = decodeCursor(filters, query.cursor);
    const limit = query.limit ?? PAGE_DEFAULT;
    const rows = await listLogGroups(db, caller.projectId, behind, limit, seesOwn(caller));
    const page = pageOf(rows, limit, filters, (row) => row.lastSeq, logGroupView);
    return ok(page, { headers: nextLink(request, page) });
  }
}

export function writeLogsRoute({ logsIndex }: Evidence) {
  return endpoint({
    docs: {
      description:
        'Writes one entry, a list of them, or NDJSON with one a line: all of them, or none.',
      bodyExample: [
        { level: 'error', source: 'checkout', message: 'payment 4711 timed out after 30000 ms' },
      ],
      replies: {
        201: {
          description: 'How many were written, and their ids',
          schema: Type.Object({ accepted: Type.Integer(), ids: Type.Array(Type.String()) }),
          example: { accepted: 1, ids: [LOG_EXAMPLE.id] },
        },
      },
    },
    body: entriesBody(LogEntryBody, (limits) => limits.logBatchEntries),
    async handler(call) {
      const { body, caller, now } = call;
      if (body.length === 0) throw invalid('', 'must have at least one entry');
      const reply = await call.write(async (db) => {
        const batch = { projectId: caller.projectId, entries: body, tokenId: caller.tokenId, now };
        const ids = await writeLogEntries(db, batch);
        const location = ids.length === 1 ? `/api/system-logs?id=${ids[0]}` : '/api/system-logs';
        return created({ accepted: ids.length, ids }, location);
      });
      logsIndex.added(body.length);
      return reply;
    },
  });
}

export function settleLogsRoute({ database }: Evidence) {
  return endpoint({
    docs: {
      description:
        'Sets state or note of entries: of those named by `ids` (or `id`), or of all that `filter` finds; the filter ' +
        'may not be empty. Any state goes to any.',
      bodyExample: {
        filter: { fingerprint: LOG_EXAMPLE.fingerprint },
        state: 'resolved',
        note: 'fixed in 2026.2.1',
      },
      replies: {
        200: {
          description: 'How many were changed',
          schema: Type.Object({ updated: Type.Integer() }),
          example: { updated: 3 },
        },
      },
      problems: ['not_found'],
    },
    body: mergePatchBody(LogPatch),
    async handler({ body: patch, caller, request }) {
      const named = [patch.id, patch.ids, patch.filter].filter((one) => one !== undefined).length;
      if (named === 0) throw invalid('/id', 'is required, or ids, or a filter');
      if (named > 1)
        throw invalid('/filter', 'goes without id and ids, and these without each other');
      if (patch.state === undefined && patch.note === undefined)
        throw invalid('/state', 'is required, or a note');
      const ifMatch = request.headers.get('if-match');
      const updated = await database.write((db) =>
        settleLogEntries(db, { projectId: caller.projectId, patch, ifMatch }),
      );
      return ok({ updated });
    },
  });
}
