// What the operations of the evidence work with: the context, the full-text indexes and the cache
// of issues.
import type { Services } from '../services.ts';
import type { SweepOptions, SweepResult } from '../store/files/files.ts';
import { referencedContents } from '../store/references.ts';
import { createSearchIndex, type SearchIndex } from '../store/search.ts';
import { tokenSql, tokensSql } from '../store/search-terms.ts';
import { issues, logEntries } from '../store/tables/evidence.ts';
import { createIssueCache, type IssueCache } from './issues/answers.ts';
import { ISSUE_LIST_TOKENS, ISSUE_TOKENS } from './issues/rows.ts';
import { removeOldLogEntries, writeLogEntries } from './logs/entries.ts';
import { type LogEvents, openLogEvents } from './logs/events.ts';
import { OWN_SOURCE } from './logs/model.ts';
import { LOG_TOKENS } from './logs/rows.ts';

export interface Evidence extends Services {
  issuesIndex: SearchIndex;
  logsIndex: SearchIndex;
  logEvents: LogEvents;
  issueCache: IssueCache;
}

/** Opens the evidence; from now on what the service notes about a project is in its system log. */
export function openEvidence<S extends Services>(context: S): S & Evidence {
  const { notices, database, clock } = context;
  const issuesIndex = createSearchIndex(database, {
    table: 'issues',
    index: 'issues_text',
    columns: 'title, description',
    texts: "title, coalesce(description, '')",
    scope: [
      projectOf('issues'),
      `iif(duplicate_of is null, ' ' || ${projectOf('issues')} || 'o', '')`,
      ...ISSUE_TOKENS.map((name) => tokenSql(name, issues[name].name)),
      ...ISSUE_LIST_TOKENS.map((name) => tokensSql(name, issues[name].name)),
    ].join(' || '),
  });
  const logsIndex = createSearchIndex(database, {
    table: 'log_entries',
    index: 'log_entries_text',
    columns: 'message, details',
    texts: "message, coalesce(fields, '')",
    scope: [
      projectOf('log_entries'),
      "iif(source is 'pqrs', ' own', ' theirs')",
      ...LOG_TOKENS.map((name) => tokenSql(name, logEntries[name].name)),
    ].join(' || '),
  });
  const issueCache = createIssueCache();
  database.onRecovered(() => {
    issueCache.clear();
    issuesIndex.added();
    logsIndex.added();
  });
  notices.subscribe(async ({ projectId, level, message, fields }) => {
    await database.write(async (db) => {
      const entry = { level, message, fields, source: OWN_SOURCE };
      await writeLogEntries(db, { projectId, entries: [entry], tokenId: null, now: clock() });
    });
    logsIndex.added();
  });
  return {
    ...context,
    issuesIndex,
    logsIndex,
    logEvents: openLogEvents(context),
    issueCache,
    async close() {
      issuesIndex.stop();
      logsIndex.stop();
      await context.close();
    },
  };
}

/** The token of a row's project in the scope of an index. */
function projectOf(table: string): string {
  return `'p' || (select projects.seq from projects where projects.id = ${table}.project_id)`;
}

const BATCH_SIZE = 500;
const DAY_MS = 24 * 3600 * 1000;

const SWEEP_CHECK = 'files:sweep';

/**
 * Moves files without a row to the trash. Where these are so many that the database may be the
 * wrong one nothing is moved, and readiness fails, until a sweep with `force`.
 */
export async function sweepFiles(
  { files, database, log, faults, clock }: Pick<Evidence, keyof Services>,
  options: Pick<SweepOptions, 'force' | 'minAgeMs'> = {},
): Promise<SweepResult> {
  const referenced = referencedContents(database.read);
  const result = await files.sweep(referenced, { ...options, now: clock() });
  const { unused, isStopped, moved, bytes } = result;
  if (isStopped) {
    const output =
      `${unused} of ${result.files} files are named by nothing in the database, and were left: ` +
      'is it the right one? pqrs doctor --repair --sweep moves them to files/trash';
    faults.report(SWEEP_CHECK, { status: 'fail', output });
    log.error({ unused, files: result.files }, output);
  } else faults.clear(SWEEP_CHECK);
  if (moved > 0) log.info({ moved, bytes }, 'files without a row were moved to files/trash');
  return result;
}

export async function expireLogs({
  database,
  clock,
  tokens,
  logsIndex,
}: Evidence): Promise<number> {
  let removed = 0;
  for (const { id, retentionDays } of tokens.projects()) {
    if (retentionDays === null) continue;
    const before = clock() - retentionDays * DAY_MS;
    for (let more = true; more; ) {
      const seqs = await database.write(async (db) => {
        const gone = await removeOldLogEntries(db, id, before, BATCH_SIZE);
        await logsIndex.removed(db, gone);
        return gone;
      });
      removed += seqs.length;
      more = seqs.length === BATCH_SIZE;
    }
  }
  return removed;
}
