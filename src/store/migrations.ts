// The schema and its history: forward-only SQL files of the folder `drizzle`, inside the
// executable, applied in their order and each in one transaction.
import foundation from '../../drizzle/0001_foundation.sql' with { type: 'text' };
import requirements from '../../drizzle/0002_requirements.sql' with { type: 'text' };
import assurance from '../../drizzle/0003_assurance.sql' with { type: 'text' };
import quality from '../../drizzle/0004_quality.sql' with { type: 'text' };
import goneStories from '../../drizzle/0005_gone_stories.sql' with { type: 'text' };
import noDiffers from '../../drizzle/0006_no_differs.sql' with { type: 'text' };
import resultsKnown from '../../drizzle/0007_results_known.sql' with { type: 'text' };
import unjudgedRuns from '../../drizzle/0008_unjudged_runs.sql' with { type: 'text' };
import runProfiles from '../../drizzle/0009_run_profiles.sql' with { type: 'text' };
import readOnlyTokens from '../../drizzle/0010_read_only_tokens.sql' with { type: 'text' };
import allowArchives from '../../drizzle/0011_allow_archives.sql' with { type: 'text' };
import readersVersion from '../../drizzle/0012_readers_version.sql' with { type: 'text' };
import textAttributes from '../../drizzle/0013_text_attributes.sql' with { type: 'text' };
import latestResults from '../../drizzle/0014_latest_results.sql' with { type: 'text' };
import dropGoneStories from '../../drizzle/0015_drop_gone_stories.sql' with { type: 'text' };
import baselines from '../../drizzle/0016_baselines.sql' with { type: 'text' };
import issueCounts from '../../drizzle/0017_issue_counts.sql' with { type: 'text' };
import storyStatuses from '../../drizzle/0018_story_statuses.sql' with { type: 'text' };
import timeBlocks from '../../drizzle/0019_time_blocks.sql' with { type: 'text' };
import issueIndexes from '../../drizzle/0020_issue_indexes.sql' with { type: 'text' };
import attachmentsOfIssue from '../../drizzle/0021_attachments_of_issue.sql' with { type: 'text' };
import issuePrefixes from '../../drizzle/0022_issue_prefixes.sql' with { type: 'text' };
import type { StoreClient } from './client/drizzle.ts';
import { StoreRefused } from './errors.ts';

export interface Migration {
  name: string;
  sql: string;
}

/** Every migration there is; a test asserts that it equals the folder. */
export const MIGRATIONS: Migration[] = [
  { name: '0001_foundation', sql: foundation },
  { name: '0002_requirements', sql: requirements },
  { name: '0003_assurance', sql: assurance },
  { name: '0004_quality', sql: quality },
  { name: '0005_gone_stories', sql: goneStories },
  { name: '0006_no_differs', sql: noDiffers },
  { name: '0007_results_known', sql: resultsKnown },
  { name: '0008_unjudged_runs', sql: unjudgedRuns },
  { name: '0009_run_profiles', sql: runProfiles },
  { name: '0010_read_only_tokens', sql: readOnlyTokens },
  { name: '0011_allow_archives', sql: allowArchives },
  { name: '0012_readers_version', sql: readersVersion },
  { name: '0013_text_attributes', sql: textAttributes },
  { name: '0014_latest_results', sql: latestResults },
  { name: '0015_drop_gone_stories', sql: dropGoneStories },
  { name: '0016_baselines', sql: baselines },
  { name: '0017_issue_counts', sql: issueCounts },
  { name: '0018_story_statuses', sql: storyStatuses },
  { name: '0019_time_blocks', sql: timeBlocks },
  { name: '0020_issue_indexes', sql: issueIndexes },
  { name: '0021_attachments_of_issue', sql: attachmentsOfIssue },
  { name: '0022_issue_prefixes', sql: issuePrefixes },
];

/** Applies the migrations that a database lacks; gives the names of all. @throws StoreRefused for a newer one */
export async function migrate(
  client: StoreClient & { exec(sql: string): Promise<void> | void },
  migrations: Migration[],
  setAside: (newest: string) => void,
): Promise<string[]> {
  await client.execute(
    'create table if not exists migrations (name text primary key, applied_at integer not null) strict',
  );
  const { rows } = await client.execute('select name from migrations order by name');
  const applied = rows.map((row) => String(row[0]));
  const known = new Set(migrations.map((migration) => migration.name));
  const foreign = applied.filter((name) => !known.has(name));
  if (foreign.length > 0) {
    throw new StoreRefused(
      `the database is newer than this executable: it has ${foreign.join(', ')}, which this version does not know. ` +
        'Start it with the version that last used it, or restore a backup.',
    );
  }
  const pending = migrations.filter((migration) => !applied.includes(migration.name));
  const newest = applied.at(-1);
  if (newest !== undefined && pending.length > 0) setAside(newest);
  for (const migration of pending) {
    await client.exec(
      `begin immediate;\n${migration.sql}\ninsert into migrations (name, applied_at) values ('${migration.name}', ${Date.now()});\ncommit;`,
    );
    applied.push(migration.name);
  }
  return applied;
}
