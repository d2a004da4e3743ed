// A closed data folder with some of everything that the doctor looks at, and copies of it to break.
import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { loadDemo } from '../../src/cli/administration/demo.ts';
import { createDemoProject } from '../../src/cli/administration/first-start.ts';
import type { Finding } from '../../src/operations/doctor/inspect.ts';
import { inspect } from '../../src/operations/doctor/inspect.ts';
import { openInstance } from './instance.ts';
import { fillKeyed, type Keyed } from './keyed-instance.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Doctored {
  dataDir: string;
  keyed: Keyed;
}

/** Fills a folder and closes it. */
export async function makeDoctored(): Promise<Doctored> {
  const instance = await openInstance({ demo: true });
  const keyed = await fillKeyed(instance);
  const send = async (
    method: string,
    path: string,
    body: object,
  ): Promise<Record<string, string>> => {
    const answer = await instance.fetch(`/api${path}`, {
      method,
      token: keyed.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const post = (path: string, body: object) => send('POST', path, body);
  const original = await post('/issues', { title: 'often', storyIds: ['US-1', 'US-2'] });
  const again = await post('/issues', { title: 'again' });
  await send('PATCH', `/issues/${again.id}`, {
    status: 'resolved',
    resolution: 'duplicate',
    duplicateOf: original.id,
  });
  for (let at = 0; at < 60; at += 1) {
    await post('/issues', { title: `Issue ${at}`, description: 'words '.repeat(at * 40) });
    await post('/system-logs', { message: `entry of group ${at % 7}`, level: 'warn' });
  }
  await post('/test-commands', { key: 'unit', argv: ['true'] });
  await post('/agent/suite', { commandIds: ['unit'], agent: { name: 'worker' } });
  const results = ['passed', 'failed', 'skipped'].map((status) => ({
    name: `is ${status}`,
    status,
  }));
  await post('/test-runs', { results });
  await createDemoProject(instance.evidence, join(instance.evidence.config.dataDir, 'demo.token'));
  await loadDemo(instance.evidence);
  await instance.evidence.issuesIndex.upToDate();
  await instance.evidence.logsIndex.upToDate();
  await instance.close();
  const { dataDir } = instance.evidence.config;
  // The next start records the keys that were made.
  await (await openInstance({}, { dataDir })).close();
  return { dataDir, keyed };
}

/** A copy to break. */
export function copyOf({ dataDir }: Doctored): string {
  const copy = temporaryFolder('doctored');
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** What the doctor finds in a closed folder, but for what it only mentions. */
export async function findingsIn(dataDir: string, now = Date.now()): Promise<Finding[]> {
  const findings = await inspect({ dataDir, freeDiskBytes: 0, now });
  return findings.filter(({ severity }) => severity !== 'info');
}

/** Runs statements on the database of a closed folder. */
export function execute(dataDir: string, ...statements: string[]): void {
  const database = new Database(join(dataDir, 'pqrs.db'));
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** The paths of all stored contents. */
export function contentsIn(dataDir: string): string[] {
  const root = join(dataDir, 'files');
  return readdirSync(root, { recursive: true })
    .map((path) => join(root, String(path)))
    .filter((path) => /\/[0-9a-f]{64}$/.test(path) && statSync(path).isFile())
    .sort();
}
