// Holds a running server, and the data folder of a stopped one, against the ledger of what it has
// promised.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { type Client, openClient } from '../../scripts/bench/client.ts';
import type { KeyedIssue, Ledger, PromisedFile } from '../../scripts/bench/ledger.ts';
import { changeOf } from '../../scripts/bench/mixed-actions.ts';
import type { RunningPqrs } from '../../scripts/bench/running.ts';

/** What was looked at, and what was not as promised. */
export interface Findings {
  issues: number;
  searches: number;
  files: number;
  replays: number;
  logs: number;
  /** Files without a row, which are left for a day. */
  pending: number;
  broken: string[];
}

/** Nothing looked at yet. */
export function noFindings(): Findings {
  return { issues: 0, searches: 0, files: 0, replays: 0, logs: 0, pending: 0, broken: [] };
}

interface ShownIssue {
  title: string;
  assignee: string | null;
  attachments: { id: string; sha256: string; url: string }[];
}

const AT_ONCE = 16;

/**
 * Asks a running server for everything in a ledger: issues with their changes, by id and by full
 * text; files by their links; requests with idempotency keys once more.
 */
export async function checkThroughApi(
  server: RunningPqrs,
  ledger: Ledger,
  findings: Findings,
): Promise<void> {
  const filesOf = Map.groupBy(ledger.files, (file) => file.issueId);
  await inParallel(server.port, ledger.issues, async (client, issue) => {
    const get = (query: string) => ({
      method: 'GET',
      path: `/api/issues?${query}`,
      token: server.token,
    });
    const answer = await client.ask(get(`id=${issue.id}`));
    findings.issues++;
    if (answer.status !== 200) {
      findings.broken.push(`issue ${issue.id} is answered with ${answer.status}`);
      return;
    }
    const shown = JSON.parse(answer.body.toString()) as ShownIssue;
    const change = changeOf(shown.assignee);
    if (change < issue.changed || change > issue.sent) {
      findings.broken.push(
        `issue ${issue.id} is at change ${change}, not ${issue.changed} to ${issue.sent}`,
      );
    }
    await checkMarker(client, server.token, issue.marker, issue.id, findings);
    for (const file of filesOf.get(issue.id) ?? []) {
      await checkFile(client, file, shown, findings);
    }
  });
  await inParallel(server.port, ledger.keyed, (client, keyed) =>
    checkReplay(client, server.token, keyed, findings),
  );
}

async function checkMarker(
  client: Client,
  token: string,
  marker: string,
  id: string | undefined,
  findings: Findings,
): Promise<void> {
  const path = `/api/issues?q=${marker}`;
  const search = () =>
    client.askJson<{ items: { id: string }[]; indexedTo?: string }>({ method: 'GET', path, token });
  let { items, indexedTo } = await search();
  // What was filed just before the crash may wait to be indexed.
  while (indexedTo !== undefined) {
    await Bun.sleep(250);
    ({ items, indexedTo } = await search());
  }
  findings.searches++;
  if (items.length !== 1 || (id !== undefined && items[0]?.id !== id)) {
    findings.broken.push(
      `the word ${marker} of ${id} is found ${items.length} times: ${items.map((item) => item.id)}`,
    );
  }
}

async function checkFile(
  client: Client,
  file: PromisedFile,
  issue: ShownIssue,
  findings: Findings,
): Promise<void> {
  findings.files++;
  const shown = issue.attachments.find((one) => one.id === file.id);
  if (shown?.sha256 !== file.sha256) {
    findings.broken.push(`attachment ${file.id} is not there`);
    return;
  }
  const { status, body } = await client.ask({ method: 'GET', path: shown.url });
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (status !== 200 || sha256 !== file.sha256 || body.byteLength !== file.bytes) {
    findings.broken.push(`the file of attachment ${file.id} comes back changed (${status})`);
  }
}

/** Sends a request again under its key: one effect, and the first answer where there was one. */
async function checkReplay(
  client: Client,
  owner: string,
  keyed: KeyedIssue,
  findings: Findings,
): Promise<void> {
  const { token, json, key, marker, id } = keyed;
  const headers = { 'Idempotency-Key': key };
  const answer = await client.ask({ method: 'POST', path: '/api/issues', token, headers, json });
  findings.replays++;
  if (answer.status !== 201) {
    findings.broken.push(`a request sent again is answered with ${answer.status}`);
    return;
  }
  const shown = JSON.parse(answer.body.toString()) as { id: string };
  if (id !== undefined && (shown.id !== id || !/^idempotency-replayed: true/im.test(answer.head))) {
    findings.broken.push(`the answer ${id} is not repeated but ${shown.id}`);
  }
  keyed.id = shown.id;
  await checkMarker(client, owner, marker, shown.id, findings);
}

async function inParallel<T>(
  port: number,
  items: readonly T[],
  work: (client: Client, item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function line(): Promise<void> {
    const client = await openClient(port);
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      await work(client, item);
    }
    client.close();
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, line));
}

/**
 * Looks into the data folder of a server that has ended: the database is whole, every promised log
 * entry is in it, and each row has its file, with the bytes of its name.
 */
export function checkDataFolder(dataDir: string, ledger: Ledger, findings: Findings): void {
  const database = new Database(join(dataDir, 'pqrs.db'));
  const rows = <T>(sql: string) => database.prepare(sql).all([]) as T[];
  try {
    const integrity = rows<{ integrity_check: string }>('pragma integrity_check');
    if (integrity[0]?.integrity_check !== 'ok') {
      findings.broken.push(`integrity_check: ${JSON.stringify(integrity).slice(0, 300)}`);
    }
    const dangling = rows('pragma foreign_key_check');
    if (dangling.length > 0) findings.broken.push(`${dangling.length} rows name what is not there`);
    const logs = new Set(rows<{ id: string }>('select id from log_entries').map((row) => row.id));
    const missing = ledger.logs.filter((id) => !logs.has(id));
    findings.logs += ledger.logs.length;
    if (missing.length > 0) findings.broken.push(`${missing.length} log entries are missing`);
  } finally {
    database.close();
  }
  checkFiles(join(dataDir, 'files'), namedFiles(dataDir), findings);
}

function namedFiles(dataDir: string): Set<string> {
  const database = new Database(join(dataDir, 'pqrs.db'));
  const rows = database.prepare('select distinct sha256 from attachments').all([]);
  database.close();
  return new Set((rows as { sha256: string }[]).map((row) => row.sha256));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path !== 'folder.id' && statSync(join(folder, path)).isFile());
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function checkFiles(folder: string, named: Set<string>, findings: Findings): void {
  const found = new Set<string>();
  findings.pending = 0;
  for (const path of filesIn(folder)) {
    const name = nameOf(path);
    if (path.startsWith('tmp/')) findings.broken.push(`a part of a file was left: ${path}`);
    else if (path.startsWith('trash/')) findings.broken.push(`a young file was swept: ${path}`);
    else if (!named.has(name)) findings.pending++;
    const content = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
    if (content !== name) findings.broken.push(`the file ${path} holds other bytes`);
    found.add(name);
  }
  for (const sha256 of named) {
    if (!found.has(sha256)) findings.broken.push(`a row names ${sha256}, which is not on disk`);
  }
}
