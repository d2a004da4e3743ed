// The single actions of the mixed load: each sends one request or two, checks the answer against
// what the same line of work was promised before, and writes the new promise down.
import { createHash, randomBytes } from 'node:crypto';
import type { Client } from './client.ts';
import type { Answer } from './connection.ts';
import type { Ledger, PromisedIssue } from './ledger.ts';
import { formBytes, type RequestParts } from './requests.ts';
import { issueBody } from './seed.ts';

export interface Tokens {
  owner: string;
  widget: string;
  agent: string;
}

/** One line of work: a connection, and the issues that it alone changes. */
export interface Line {
  client: Client;
  tokens: Tokens;
  ledger: Ledger;
  own: PromisedIssue[];
  fileBytes: number;
}

/** An answer that should not have come. */
export class BadAnswer extends Error {
  override name = 'BadAnswer';
  readonly status: number;
  constructor(what: string, answer: Answer) {
    super(`${what}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
    this.status = answer.status;
  }
}

export type Action = (line: Line) => Promise<void>;

const LINE_KEEPS = 50;
const ATTACHMENTS_MOST = 20;
const pool = randomBytes(1 << 20);

async function ask<T>(line: Line, parts: RequestParts, status: number): Promise<T> {
  const answer = await line.client.ask(parts);
  if (answer.status !== status) {
    throw new BadAnswer(`${parts.method} ${parts.path.slice(0, 60)}`, answer);
  }
  return JSON.parse(answer.body.toString()) as T;
}

function any<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

function wrong(what: string): never {
  throw new Error(`a promise was broken: ${what}`);
}

export const fileIssue: Action = async (line) => {
  const { ledger, tokens } = line;
  const marker = `m${randomBytes(8).toString('hex')}`;
  const token = Math.random() < 0.3 ? tokens.widget : tokens.owner;
  const { labels: _labels, ...body } = issueBody(Math.floor(Math.random() * 5000));
  const json = { ...body, title: `${body.title} ${marker}` };
  const key = Math.random() < 0.5 ? `key-${marker}` : undefined;
  const keyed = key === undefined ? undefined : { key, token, marker, json, id: undefined };
  if (keyed) ledger.keyed.push(keyed);
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
  const parts = { method: 'POST', path: '/api/issues', token, headers, json };
  const { id } = await ask<{ id: string }>(line, parts, 201);
  if (keyed) Object.assign(keyed, { id });
  const issue = { id, marker, token, changed: 0, sent: 0, attachments: 0 };
  ledger.issues.push(issue);
  line.own.push(issue);
  if (line.own.length > LINE_KEEPS) line.own.shift();
};

export const changeIssue: Action = async (line) => {
  const issue = any(line.own);
  if (!issue) return fileIssue(line);
  issue.sent += 1;
  const { sent } = issue;
  const json = { assignee: `change-${sent}`, priority: 'high' };
  const path = `/api/issues/${issue.id}`;
  await ask(line, { method: 'PATCH', path, token: line.tokens.owner, json }, 200);
  issue.changed = sent;
};

export const readIssue: Action = async (line) => {
  const issue = any(line.own);
  if (!issue) return fileIssue(line);
  const path = `/api/issues?id=${issue.id}`;
  const shown = await ask<{ assignee: string | null; title: string }>(
    line,
    { method: 'GET', path, token: line.tokens.owner },
    200,
  );
  if (!shown.title.endsWith(issue.marker)) wrong(`another issue came for ${issue.id}`);
  if (changeOf(shown.assignee) < issue.changed) wrong(`an old state of ${issue.id} was shown`);
};

export const listIssues: Action = async (line) => {
  await ask(line, { method: 'GET', path: '/api/issues?limit=50', token: line.tokens.owner }, 200);
};

export const searchIssue: Action = async (line) => {
  const issue = line.own.at(-1);
  if (!issue) return fileIssue(line);
  const path = `/api/issues?q=${issue.marker}`;
  const { items } = await ask<{ items: { id: string }[] }>(
    line,
    { method: 'GET', path, token: line.tokens.owner },
    200,
  );
  if (items.length !== 1 || items[0]?.id !== issue.id) wrong(`a search misses ${issue.id}`);
};

export const attachFile: Action = async (line) => {
  const issue = any(line.own);
  if (!issue || issue.attachments >= ATTACHMENTS_MOST) return fileIssue(line);
  issue.attachments += 1;
  const from = Math.floor(Math.random() * (pool.byteLength - line.fileBytes));
  const bytes = Buffer.concat([randomBytes(16), pool.subarray(from, from + line.fileBytes - 16)]);
  const form = Math.random() < 0.5;
  const multipart = form
    ? formBytes(
        { kind: 'screenshot' },
        { name: 'shot.bin', type: 'application/octet-stream', bytes },
      )
    : undefined;
  const headers: Record<string, string> = multipart
    ? { 'Content-Type': multipart.type }
    : {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'attachment; filename="trace.bin"',
      };
  const shown = await ask<{ id: string; sha256: string; bytes: number; url: string }>(
    line,
    {
      method: 'POST',
      path: `/api/issues/${issue.id}/attachments`,
      token: issue.token,
      headers,
      body: multipart?.body ?? bytes,
    },
    201,
  );
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (shown.sha256 !== sha256) wrong(`a file of ${issue.id} was stored with another hash`);
  line.ledger.files.push({
    issueId: issue.id,
    id: shown.id,
    sha256,
    bytes: bytes.byteLength,
  });
  const answer = await line.client.ask({ method: 'GET', path: shown.url });
  if (answer.status !== 200) throw new BadAnswer('GET a file by its link', answer);
  if (!answer.body.equals(bytes)) wrong(`a file of ${issue.id} came back changed`);
};

export const writeLogs: Action = async (line) => {
  const entries = Array.from({ length: 20 + Math.floor(Math.random() * 30) }, (_, index) => ({
    level: any(['debug', 'info', 'warn', 'error']),
    source: any(['checkout', 'search', 'mail']),
    message: `request ${index} of ${randomBytes(4).toString('hex')} took ${index * 7} ms`,
    fields: { index, host: 'app-1' },
  }));
  const lines = Math.random() < 0.5;
  const { ids } = await ask<{ ids: string[] }>(
    line,
    {
      method: 'POST',
      path: '/api/system-logs',
      token: line.tokens.agent,
      headers: { 'Content-Type': lines ? 'application/x-ndjson' : 'application/json' },
      body: Buffer.from(
        lines ? entries.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(entries),
      ),
    },
    201,
  );
  if (ids.length !== entries.length) wrong('a log batch was taken in part');
  line.ledger.logs.push(...ids);
};

export const readLogs: Action = async (line) => {
  const path = '/api/system-logs?limit=50&level=error';
  await ask(line, { method: 'GET', path, token: line.tokens.agent }, 200);
};

/** The counter in an assignee that this load has set; 0 for none. */
export function changeOf(assignee: string | null): number {
  return Number(/^change-(\d+)$/.exec(assignee ?? '')?.[1] ?? 0);
}
