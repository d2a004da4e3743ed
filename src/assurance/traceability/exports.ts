// Traceability written for others: as a table, as a page for printing, for LOBSTER.

import { ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import type { AssuranceState } from '../state/state.ts';
import { listTraces } from './links.ts';
import type { TraceabilityFilters } from './model.ts';
import { storyFilter, traceFilter } from './pages.ts';

type Format = Exclude<NonNullable<TraceabilityFilters['format']>, 'json'>;

/**
 * Everything that passes the filters, in a format. The writers are loaded when they are first asked
 * for.
 *
 * @param project - the project's slug
 */
export async function exportReply(
  state: AssuranceState,
  query: TraceabilityFilters,
  format: Format,
  project: string,
): Promise<Reply> {
  const text = await written(state, query, format, project);
  const mediaType = {
    ...{ csv: 'text/csv; charset=utf-8; header=present', lobster: 'application/json' },
    html: 'text/html; charset=utf-8',
  }[format];
  const etag = etagOf(state.effective.revision?.number ?? 0, text);
  // The page comes from the origin of the API: nothing in it may run.
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  const headers: Record<string, string> =
    format === 'html' ? { 'Content-Security-Policy': policy } : {};
  return ok(undefined, { text, mediaType, etag, headers });
}

async function written(
  state: AssuranceState,
  query: TraceabilityFilters,
  format: Format,
  project: string,
): Promise<string> {
  if (query.view === 'traces') {
    const { storyId } = query;
    const passes = traceFilter(query);
    const traces = listTraces(state).filter(
      (one) => passes(one.trace) && (!storyId || storyId.includes(one.storyId)),
    );
    if (format === 'csv') return (await import('../export/csv.ts')).writeTracesCsv(state, traces);
    return (await import('../export/lobster.ts')).writeLobsterActivities(state, traces);
  }
  const { storyId } = query;
  const passes = storyFilter(state, query);
  const stories = state
    .coverage()
    .stories.filter((one) => passes(one) && (!storyId || storyId.includes(one.storyId)));
  if (format === 'csv') return (await import('../export/csv.ts')).writeCsv(stories);
  if (format === 'html')
    return (await import('../export/html.ts')).writeHtml(state, stories, project);
  return (await import('../export/lobster.ts')).writeLobster(state, stories);
}
