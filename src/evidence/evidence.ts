// What the operations of the evidence work with: the context, the full-text indexes and the cache
// of issues.
import type { Services } from '../services.ts';
import type { SearchIndex } from '../store/search/index.ts';
import { openEvidenceIndexes } from './indexes.ts';
import { createIssueCache, type IssueCache } from './issues/cache.ts';
import { writeLogEntries } from './logs/entries.ts';
import { OWN_SOURCE } from './logs/model.ts';

export interface Evidence extends Services {
  issuesIndex: SearchIndex;
  logsIndex: SearchIndex;
  issueCache: IssueCache;
}

/** Opens the evidence; from now on what the service notes about a project is in its system log. */
export function openEvidence<S extends Services>(context: S): S & Evidence {
  const indexes = openEvidenceIndexes(context.database);
  const evidence = {
    ...context,
    issuesIndex: indexes.issues,
    logsIndex: indexes.logs,
    issueCache: createIssueCache(),
    async close() {
      indexes.issues.stop();
      indexes.logs.stop();
      await context.close();
    },
  };
  context.database.onRecovered(() => {
    evidence.issueCache.clear();
    indexes.issues.added(0);
    indexes.logs.added(0);
  });
  const { notices, database, clock } = context;
  notices.subscribe(async ({ projectId, level, message, fields }) => {
    await database.write(async (db) => {
      const entry = { level, message, fields, source: OWN_SOURCE };
      await writeLogEntries(db, { projectId, entries: [entry], tokenId: null, now: clock() });
    });
    indexes.logs.added(1);
  });
  return evidence;
}
