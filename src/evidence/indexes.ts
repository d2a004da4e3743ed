// The full-text indexes of the evidence.
import type { Database } from '../store/database.ts';
import { createSearchIndex, type SearchIndex } from '../store/search/index.ts';

export interface EvidenceIndexes {
  issues: SearchIndex;
  logs: SearchIndex;
}

export function projectToken(projectSeq: number | undefined): string {
  return `p${projectSeq ?? 0}`;
}

/** Token of the scope of a project's issues that are no duplicates: one, for each is looked up. */
export function originalsToken(projectSeq: number | undefined): string {
  return `${projectToken(projectSeq)}o`;
}

export function statusToken(status: string): string {
  return `s${status.replaceAll('_', '')}`;
}

export function openEvidenceIndexes(database: Database): EvidenceIndexes {
  return {
    issues: createSearchIndex(database, {
      table: 'issues',
      index: 'issues_text',
      columns: 'title, description, scope',
      values: `title, coalesce(description, ''), ${projectTokenOf('issues')} || ' s' || replace(status, '_', '') || iif(duplicate_of is null, ' ' || ${projectTokenOf('issues')} || 'o', '')`,
    }),
    logs: createSearchIndex(database, {
      table: 'log_entries',
      index: 'log_entries_text',
      columns: 'message, details, scope',
      values: `message, coalesce(fields, ''), ${projectTokenOf('log_entries')} || iif(source is 'pqrs', ' own', ' theirs')`,
    }),
  };
}

function projectTokenOf(table: string): string {
  return `'p' || (select projects.seq from projects where projects.id = ${table}.project_id)`;
}
