// A data folder to be damaged, and what an instance on it answers to each kind of GET.
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Instance, openInstance } from './instance.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Answers {
  /** By path: the status, the problem's code if there is one, and what is alike in each answer. */
  [path: string]: { status: number; code: string | undefined; text: string };
}

export interface GoodFolder {
  dataDir: string;
  token: string;
  /** What is asked for, with links to attachments that last. */
  paths: string[];
  /** The answers before any damage. */
  answers: Answers;
}

/** The sources of its project. */
export const SOURCES = Array.from({ length: 6 }, (_, at) => ({
  path: `part-${at}.md`,
  content: `# Part ${at}\n\n## US-${at}: Story ${at}\n\nIt does ${at}.\n`,
}));
const ATTACHMENTS = 11;
/** Does not fit on one page of the database. */
const LONG_TEXT = 'a long text '.repeat(1000);

/** Makes a data folder with something of everything, and closes it. */
export async function makeGoodFolder(): Promise<GoodFolder> {
  const dataDir = temporaryFolder('good');
  const instance = await openInstance({}, { dataDir });
  const { token } = await instance.makeProject('default');
  const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await instance.fetch(`/api${path}`, {
      ...{ method: 'POST', token, headers, body: JSON.stringify(body) },
    });
    if (!sent.ok) throw new Error(`${path}: ${await sent.text()}`);
    return (await sent.json()) as Record<string, string>;
  };
  await post('/projects', { slug: 'default', sources: SOURCES });
  const links: string[] = [];
  let issueId = '';
  for (let at = 0; at < 60; at++) {
    const { id = '' } = await post('/issues', { title: `Issue ${at}`, route: `/r/${at}` });
    issueId = id;
    if (at >= ATTACHMENTS) continue;
    const added = await instance.fetch(`/api/issues/${id}/attachments?linkTtl=86400`, {
      ...{ method: 'POST', token, body: `content ${at} `.repeat(500 + at) },
      headers: {
        'content-type': 'text/plain',
        'content-disposition': `attachment; filename="${at}.txt"`,
      },
    });
    links.push(((await added.json()) as { url: string }).url);
  }
  await post(
    '/system-logs',
    Array.from({ length: 200 }, (_, at) => ({ message: `line ${at}` })),
  );
  await post('/test-commands', {
    ...{ key: 'C-1', argv: ['true'], credentials: ['PASSWORD'] },
    secrets: { PASSWORD: 'a secret value' },
  });
  await post('/validation-transfer', {
    mode: 'record',
    results: [{ storyId: 'US-1', verdict: 'passed' }],
  });
  await post('/issues', { title: 'Long', description: LONG_TEXT });
  await post('/system-logs', { message: 'long', fields: { trace: LONG_TEXT } });
  const failed = { name: 'another test', status: 'failed', message: LONG_TEXT };
  const { id: runId } = await post('/test-runs', {
    results: [{ name: 'a test [US-1]', status: 'passed' }, failed],
  });
  const paths = [
    ...['/api/projects', '/api/projects?include=sources,revisions', '/api/srs-graph'],
    ...['/api/srs-graph?view=effective', '/api/srs-graph?format=reqif', '/api/srs-source-audit'],
    ...['/api/srs-story/US-1', '/api/srs-workflow/US-1', '/api/project-traceability'],
    ...['/api/validation-transfer', '/api/validation-transfer?format=bundle'],
    ...['/api/test-commands', '/api/test-runs', '/api/run-state?state=broken'],
    `/api/test-runs?id=${runId}`,
    ...['/api/project-scenarios', '/api/route-catalog', '/api/route-candidates'],
    ...['/api/issues', '/api/issues?q=issue', `/api/issues?id=${issueId}`, '/api/system-logs'],
    ...['/api/system-logs?q=line', '/api/health', '/api/project-handoff', ...links],
  ];
  await instance.close();
  const again = await openInstance({}, { dataDir });
  const answers = await ask(again, token, paths);
  await again.close();
  return { dataDir, token, paths, answers };
}

/** Asks for each path. */
export async function ask(
  { fetch }: Pick<Instance, 'fetch'>,
  token: string,
  paths: readonly string[],
): Promise<Answers> {
  const answers: Answers = {};
  for (const path of paths) {
    const isLink = path.startsWith('/api/files/');
    const answer = await fetch(path, isLink ? {} : { token });
    const text = await answer.text();
    const isProblem = answer.headers.get('content-type') === 'application/problem+json';
    const { code } = isProblem ? JSON.parse(text) : { code: undefined };
    answers[path] = { status: answer.status, code, text: withoutMoments(text) };
  }
  return answers;
}

/** Without what differs between two answers to the same: links and signatures, moments, request ids. */
function withoutMoments(text: string): string {
  return text
    .replace(/\/api\/files\/[^"\s)]*/g, 'LINK')
    .replace(/"(?:signature|uptimeMs|exportedAt|requestId)": ?("[^"]*"|\d+)/g, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT');
}

/** The checks of `/ready` that fail. */
export async function failingChecks(
  { fetch }: Pick<Instance, 'fetch'>,
  token: string,
): Promise<string[]> {
  const answer = await fetch('/api/ready', { token });
  const { checks } = (await answer.json()) as { checks: Record<string, { status: string }[]> };
  return Object.entries(checks).flatMap(([name, all]) =>
    all.some(({ status }) => status === 'fail') ? [name] : [],
  );
}

/** A copy of a data folder. */
export function copyOf(dataDir: string): string {
  const copy = temporaryFolder('damaged');
  rmSync(copy, { recursive: true });
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

/** The stored contents of a data folder, as paths below it. */
export function storedFiles(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'files'), { recursive: true })
    .map((name) => join('files', String(name)))
    .filter((name) => /[0-9a-f]{64}$/.test(name) && statSync(join(dataDir, name)).isFile())
    .sort();
}
