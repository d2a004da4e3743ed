// Routes of system logs.
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import { parseTime } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { bodyOf, entriesBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { eventStream, LAST_EVENT_ID, wantsStream } from '../../http/api/event-stream.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { pageSchema, searchPageSchema } from '../../model/schemas.ts';
import { placesOf } from '../../store/list-filters.ts';
import type { LogEntryRow } from '../../store/tables/evidence.ts';
import type { Evidence } from '../evidence.ts';
import { settleLogEntries, writeLogEntries } from './entries.ts';
import { entryFilter } from './events.ts';
import {
  LevelCounts,
  LogEntry,
  LogEntryBody,
  type LogFilters,
  LogGroup,
  LogPatch,
  type LogPatchInput,
  LogQuery,
  type NewLogEntry,
} from './model.ts';
import {
  countEntries,
  findEntries,
  getLogRow,
  listLogGroups,
  listLogRows,
  logGroupView,
  logView,
  occurrencesOf,
} from './rows.ts';

const LogEntryPage = Type.Object(
  {
    ...searchPageSchema('', LogEntry).properties,
    levels: Type.Optional(LevelCounts),
  },
  { title: 'LogEntryPage' },
);
const LogGroupPage = pageSchema('LogGroupPage', LogGroup);

const LogReceipt = Type.Object(
  {
    accepted: Type.Integer({ minimum: 1, description: 'Entries written' }),
    ids: Type.Array(Type.String(), { description: 'Their ids, in the order sent' }),
  },
  { title: 'LogReceipt' },
);

const LogUpdate = Type.Object(
  { updated: Type.Integer({ minimum: 0, description: 'Entries changed' }) },
  { title: 'LogUpdate' },
);

export const logRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'system-logs', prefix: '/system-logs' })
    .use(api(evidence))
    .get(
      '',
      ({ caller, query, request, requestId, pause }) => {
        if (wantsStream(request))
          return openEvents(evidence, { caller, query, request, requestId });
        if (query.id !== undefined) return readEntry(evidence, caller, query.id);
        return listPage(evidence, { caller, request, pause }, query);
      },
      {
        operation: {
          id: 'listSystemLogs',
          docs: {
            description:
              'Entries, the newest first; `id` answers one bare, `view=groups` groups them by fingerprint. What the service ' +
              'itself notes has the source `pqrs`, which a `read:demo` token does not see. Those of its entries whose ' +
              '`fields` name an `action` are the audit, which no retention removes. With `Accept: text/event-stream` first, ' +
              'new entries as they come: each event `log-entry` has one as data, and `Last-Event-ID` resumes behind one. ' +
              '`count` adds `levels`, how many of those that are counted have each level.',
            parameters: [LAST_EVENT_ID],
            replies: {
              200: {
                description: 'A page of entries, a page of groups, or one entry; or a stream',
                alsoAs: {
                  'text/event-stream': 'id: 4711\nevent: log-entry\ndata: {"id":"log_01k4mz"}\n\n',
                },
                headers: ['ETag', 'Link'],
              },
            },
          },
        },
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
        evidence.logsIndex.added();
        evidence.logEvents.changed(projectId);
        return reply;
      },
      {
        operation: {
          id: 'writeSystemLogs',
          docs: {
            description:
              'Writes one entry, a list of them, or NDJSON with one a line: all of them, or none.',
            bodyExample: [
              { level: 'error', message: 'payment 4711 timed out', fields: { paymentId: 4711 } },
            ],
            replies: { 201: { description: 'How many were written, and their ids' } },
          },
        },
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
          settleLogEntries(db, projectId, patch, ifMatch),
        );
        return ok({ updated });
      },
      {
        operation: {
          id: 'updateSystemLogs',
          docs: {
            description:
              'Sets state or note of entries: of those named by `ids` (or `id`), or of all that `filter` finds; the filter ' +
              'may not be empty. Any state goes to any. `404` where one of the ids is not of this project.',
            bodyExample: { filter: { source: 'checkout' }, state: 'resolved' },
            replies: { 200: { description: 'How many were changed' } },
          },
        },
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

type StreamCall = Pick<Call, 'caller' | 'request' | 'requestId'> & { query: LogFilters };

const NOT_STREAMED = ['id', 'view', 'q', 'since', 'until', 'count', 'limit', 'cursor'] as const;

function openEvents(evidence: Served<Evidence>, call: StreamCall): Response {
  const { query, caller } = call;
  const other = NOT_STREAMED.find((name) => query[name] !== undefined);
  if (other) throw invalid(`/${other}`, 'does not go with a stream');
  return eventStream(evidence, call, evidence.logEvents, entryFilter(query, seesOwn(caller)));
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

async function listPage(
  { database: { read }, logsIndex, tokens }: Evidence,
  { caller, request, pause }: Pick<Call, 'caller' | 'request' | 'pause'>,
  query: LogFilters,
) {
  const { view, limit = PAGE_DEFAULT, cursor, ...others } = query;
  const [other] = Object.keys(others);
  if (view && other) throw invalid(`/${other}`, 'does not go with view=groups');
  const { projectId } = caller;
  const filters = filterHash('listSystemLogs', query);
  const after = decodeCursor(filters, cursor);
  if (view) {
    const rows = await listLogGroups(read, projectId, after, limit, seesOwn(caller));
    const page = pageOf(rows, limit, filters, (row) => row.lastSeq, logGroupView);
    return ok(page, { headers: nextLink(request, page) });
  }
  const searched = await logsIndex.search(projectId, query.q);
  const seq = tokens.project(projectId)?.seq;
  const places = await placesOf(read, 'log_entries', query);
  const project = { id: projectId, seq, withOwn: seesOwn(caller), searched, places };
  const rows = await listLogRows(read, project, query, after, limit, pause);
  const counts = await occurrencesOf(read, projectId, rows);
  const viewOf = (row: LogEntryRow) => logView(row, counts.get(row.fingerprint) ?? 1);
  const page = pageOf(rows, limit, filters, ({ seq }) => seq, viewOf);
  const total = query.count ? await countEntries(read, findEntries(project, query), pause) : {};
  const missing = await searched?.missing?.();
  return ok({ ...page, ...total, ...missing }, { headers: nextLink(request, page) });
}
