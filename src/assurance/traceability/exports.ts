// Traceability written for others: as a table, as a page for printing, for LOBSTER.

import { etagOf } from '../../model/etag.ts';
import type { AssuranceState } from '../state/state.ts';
import { listTraces } from './links.ts';
import type { TraceabilityFilters } from './model.ts';
import { storyFilter, traceFilter } from './pages.ts';

export type ExportFormat = Exclude<NonNullable<TraceabilityFilters['format']>, 'json'>;

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  lobster: 'application/json',
  html: 'text/html; charset=utf-8',
};

/**
 * Everything that passes the filters, in a format. The writers are loaded when they are first asked
 * for.
 */
export async function exportedText(
  state: AssuranceState,
  query: TraceabilityFilters,
  format: ExportFormat,
  project: string,
): Promise<{ text: string; etag: string }> {
  const text = await written(state, query, format, project);
  return { text, etag: etagOf(state.effective.revision?.number ?? 0, text) };
}

async function written(
  state: AssuranceState,
  query: TraceabilityFilters,
  format: ExportFormat,
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
