// Routes of system logs.

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { bodyOf, entriesBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, nextLink, ok } from '../../http/api/reply.ts';
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
import { LOG_DOCS } from './docs.ts';
import { type NewLogEntry, settleLogEntries, writeLogEntries } from './entries.ts';
import {
  LogEntry,
  LogEntryBody,
  LogEntryPage,
  type LogFilters,
  LogGroupPage,
  LogPatch,
  type LogPatchInput,
  LogQuery,
  LogReceipt,
  LogUpdate,
} from './model.ts';
import {
  getLogRow,
  listLogGroups,
  listLogRows,
  logGroupView,
  logView,
  occurrencesOf,
} from './rows.ts';

export const logRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'system-logs', prefix: '/system-logs' })
    .use(api(evidence))
    .get(
      '',
      async ({ caller, query, request }) => {
        if (query.id !== undefined) return readEntry(evidence, caller, query.id);
        return query.view === 'groups'
          ? listGroups(evidence, caller, query, request)
          : listEntries(evidence, caller, query, request);
      },
      {
        operation: { id: 'listSystemLogs', docs: LOG_DOCS.read },
        query: queryOf(LogQuery),
        response: answers({ 200: Type.Union([LogEntryPage, LogGroupPage, LogEntry]) }),
      },
    )
    .post(
      '',
      async ({ caller, body: entries, now, write }) => {
        const { projectId, tokenId } = caller;
        const reply = await write(async (db) => {
          const ids = await writeLogEntries(db, { projectId, entries, tokenId, now });
          const location = ids.length === 1 ? `/api/system-logs?id=${ids[0]}` : '/api/system-logs';
          return created({ accepted: ids.length, ids }, location);
        });
        evidence.logsIndex.added(entries.length);
        return reply;
      },
      {
        operation: { id: 'writeSystemLogs', docs: LOG_DOCS.write },
        query: noQuery,
        body: logEntriesBody(),
        response: answers({ 201: LogReceipt }),
      },
    )
    .patch(
      '',
      async ({ caller: { projectId }, body: patch, request }) => {
        requireOneSelection(patch);
        const ifMatch = request.headers.get('if-match');
        const updated = await evidence.database.write((db) =>
          settleLogEntries(db, { projectId, patch, ifMatch }),
        );
        return ok({ updated });
      },
      {
        operation: { id: 'updateSystemLogs', docs: LOG_DOCS.settle },
        query: noQuery,
        body: mergePatchBody(LogPatch),
        response: answers({ 200: LogUpdate }),
      },
    );

function logEntriesBody() {
  const reader = entriesBody(LogEntryBody, (limits) => limits.logBatchEntries);
  return bodyOf<NewLogEntry[]>({
    ...reader,
    check(value, limits) {
      const inputs = reader.check(value, limits);
      if (inputs.length === 0) throw invalid('', 'must have at least one entry');
      return inputs.map(({ at, ...rest }, index) => {
        if (at === undefined) return rest;
        return { ...rest, at: parseTime(Array.isArray(value) ? `/${index}/at` : '/at', at) };
      });
    },
  });
}

function requireOneSelection(patch: LogPatchInput): void {
  const named = [patch.id, patch.ids, patch.filter].filter((one) => one !== undefined).length;
  if (named === 0) throw invalid('/id', 'is required, or ids, or a filter');
  if (named > 1) throw invalid('/filter', 'goes without id and ids, and these without each other');
  if (patch.state === undefined && patch.note === undefined)
    throw invalid('/state', 'is required, or a note');
}

/** A demo token does not see what the service itself notes. */
function seesOwn(caller: Caller): boolean {
  return caller.capability !== 'read:demo';
}

async function readEntry({ database }: Evidence, caller: Caller, id: string) {
  const db = database.read;
  const row = await getLogRow(db, caller.projectId, id, seesOwn(caller));
  const counts = await occurrencesOf(db, caller.projectId, [row]);
  const view = logView(row, counts.get(row.fingerprint) ?? 1);
  return ok(view, { etag: etagOf(row.version, JSON.stringify(view)) });
}

async function listEntries(
  { database, logsIndex }: Evidence,
  caller: Caller,
  query: LogFilters,
  request: Request,
) {
  const db = database.read;
  const filters = filterHash('listSystemLogs', query);
  const after = decodeCursor(filters, query.cursor);
  const limit = query.limit ?? PAGE_DEFAULT;
  if (query.q !== undefined) await logsIndex.upToDate();
  const rows = await listLogRows(db, caller.projectId, query, after, limit, seesOwn(caller));
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

async function listGroups(
  { database }: Evidence,
  caller: Caller,
  query: LogFilters,
  request: Request,
) {
  const { view: _view, limit = PAGE_DEFAULT, cursor, ...others } = query;
  const [other] = Object.keys(others);
  if (other) throw invalid(`/${other}`, 'does not go with view=groups');
  const filters = filterHash('listSystemLogs', query);
  const seen = decodeAnchored(filters, cursor);
  // Groups move as entries come: all pages of a walk are those of its beginning.
  const walk = seen && { behind: seen.key, until: Number(seen.anchor ?? Number.NaN) };
  const { projectId } = caller;
  const rows = await listLogGroups(database.read, projectId, walk, limit, seesOwn(caller));
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
