// What the API answers about log entries, and what a list of them may be asked by.
import type { Static } from '@sinclair/typebox';
import type { LogEntry as LogEntrySchema } from '../../../evidence/logs/model.ts';

export type LogEntry = Static<typeof LogEntrySchema>;
export type Level = LogEntry['level'];

/** The worst first. */
export const LEVELS = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
] as const satisfies Level[];

/** Filters of the address that the API knows by the same name; of these a stream takes the first ones. */
export const STREAMED = ['source', 'route', 'runId', 'issueId', 'fingerprint', 'state'] as const;
export const SEARCHED = ['q', 'since', 'until'] as const;

export interface LogFilters {
  level?: Level[];
  minLevel?: Level;
  q?: string;
  since?: string;
  until?: string;
  source?: string[];
  route?: string[];
  runId?: string[];
  issueId?: string[];
  fingerprint?: string[];
  state?: LogEntry['state'][];
}

export function filtersOf(query: URLSearchParams): LogFilters {
  const given = query.get('level')?.split(',') ?? [];
  const level = LEVELS.filter((one) => given.includes(one));
  const minLevel = LEVELS.find((one) => one === query.get('minLevel'));
  const valued = (names: readonly string[]) => names.filter((name) => query.get(name));
  return {
    ...(level.length > 0 && { level }),
    ...(minLevel && { minLevel }),
    ...Object.fromEntries(valued(STREAMED).map((name) => [name, [query.get(name)]])),
    ...Object.fromEntries(valued(SEARCHED).map((name) => [name, query.get(name)])),
  };
}

/** The stream of what a list with these filters will get; undefined where it cannot be followed. */
export function streamOf(filters: LogFilters): string | undefined {
  if (SEARCHED.some((name) => filters[name] !== undefined)) return undefined;
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(filters))
    for (const value of [values].flat()) query.append(name, value);
  return `/system-logs?${query}`;
}
