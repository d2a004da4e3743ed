// Routes of system logs.

import type { Caller } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { type BodyReader, entriesBody, mergePatchBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import {
  decodeAnchored,
  decodeCursor,
  filterHash,
  PAGE_DEFAULT,
  pageOf,
} from '../../model/pages.ts';
import { parseTime } from '../../model/time.ts';
import type { Evidence } from '../evidence.ts';
import { type NewLogEntry, settleLogEntries, writeLogEntries } from './entries.ts';
import { LogEntryBody, type LogFilters, LogPatch, LogQuery } from './model.ts';
import {
  getLogRow,
  listLogGroups,
  listLogRows,
  logGroupView,
  logView,
  occurrencesOf,
} from './rows.ts';

/** A demo token does not see what the service itself notes. */
function seesOwn(caller: Caller): boolean {
  return caller.capability !== 'read:demo';
}

export function readLogs({ database, logsIndex }: Evidence) {
  const db = database.read;
  return endpoint({
    docs: async () => (await import('./docs.ts')).LOG_DOCS.read,
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
    const seen = decodeAnchored(filters, query.cursor);
    // Groups move as entries come: all pages of a walk are those of its beginning.
    const walk = seen && { behind: seen.key, until: Number(seen.anchor ?? Number.NaN) };
    const limit = query.limit ?? PAGE_DEFAULT;
    const rows = await listLogGroups(db, caller.projectId, walk, limit, seesOwn(caller));
    const until = walk?.until ?? rows[0]?.place;
    const page = pageOf(
      rows,
      limit,
      filters,
      (row) => row.place,
      logGroupView,
      () => String(until),
    );
    return ok(page, { headers: nextLink(request, page) });
  }
}

const entriesReader = entriesBody(LogEntryBody, (limits) => limits.logBatchEntries);

const logEntriesBody: BodyReader<NewLogEntry[]> = {
  ...entriesReader,
  check(value, limits) {
    const inputs = entriesReader.check(value, limits);
    if (inputs.length === 0) throw invalid('', 'must have at least one entry');
    return inputs.map(({ at, ...rest }, index) => {
      if (at === undefined) return rest;
      return { ...rest, at: parseTime(Array.isArray(value) ? `/${index}/at` : '/at', at) };
    });
  },
};

export function writeLogsRoute({ logsIndex }: Evidence) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).LOG_DOCS.write,
    body: logEntriesBody,
    async handler(call) {
      const { body, caller, now } = call;
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
    docs: async () => (await import('./docs.ts')).LOG_DOCS.settle,
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
