// System logs as the contract tests write and read them.
import type { Client, Sending } from './client.ts';
import type { LogEntry, Page } from './shapes.ts';

/** The id of no entry. */
export const NO_LOG = 'log_00000000000000000000000000';

export const writeLogs = async (api: Client, body: unknown, sending: Sending = {}) =>
  (await api.post('/system-logs', body, sending)).must(201).json<{ ids: string[] }>().ids;

export const readLog = async (api: Client, id: string): Promise<LogEntry> =>
  (await api.get('/system-logs', { query: { id } })).must(200).json<LogEntry>();

export const listLogs = async (
  api: Client,
  query: Sending['query'],
  as: Sending['as'] = 'owner',
): Promise<LogEntry[]> =>
  (await api.get('/system-logs', { as, query })).must(200).json<Page<LogEntry>>().items;
