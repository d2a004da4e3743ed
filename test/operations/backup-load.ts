// Backups beside the mixed load of the bench: what they cost those who write, and whether what was
// restored answers as what was backed up.
import { join } from 'node:path';
import { openClient } from '../../scripts/bench/client.ts';
import { UNLIMITED } from '../../scripts/bench/mixed.ts';
import type { MixedPlan, MixedResult } from '../../scripts/bench/mixed-load.ts';
import { seedIssues } from '../../scripts/bench/seed.ts';
import { quantile } from '../../scripts/bench/statistics.ts';
import { ACCESS } from '../../src/access/access.ts';
import { backUp } from '../../src/operations/backup/backups.ts';
import { unpaced } from '../../src/operations/backup/files.ts';
import { type RestoreReport, restoreBackup } from '../../src/operations/backup/restore.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface LoadPlan {
  issues: number;
  files: number;
  fileBytes: number;
  connections: number;
  /** Of load without a backup before it; the backup gets as long as it takes, this at least. */
  seconds: number;
  say?(text: string): void;
}

export interface LoadFigures {
  /** Milliseconds: of actions, and the slowest commit by the writer's own timer. */
  before: { p50: number; p99: number; slowestCommitMs: number; slowPerMinute: number };
  during: { p50: number; p99: number; slowestCommitMs: number; slowPerMinute: number };
  complaints: string[];
  backupMs: number;
  databaseBytes: number;
  files: number;
  bytes: number;
  restored: RestoreReport;
  /** Paths of GETs whose answers differ between original and restored. */
  different: string[];
  compared: number;
}

/** Slower commits are reported one by one. */
const SLOW_MS = 50;

/** Fills an instance, loads it without and with a backup, restores that and compares. */
export async function measureBackup(plan: LoadPlan): Promise<LoadFigures> {
  const { say = () => {} } = plan;
  const folder = temporaryFolder('backup-load');
  const flags = Object.fromEntries(
    Object.entries(UNLIMITED).map(([name, value]) => [
      name.replace('PQRS_', '').replaceAll('_', '-').toLowerCase(),
      value,
    ]),
  );
  const original = await openInstance({ ...flags, 'log-level': 'silent' });
  const { port } = await original.listening();
  const project = await original.makeProject('default');
  const [widget, agent] = await Promise.all(
    ['widget:write', 'agent:execute'].map((one) => original.makeToken(project.id, [one])),
  );
  const tokens = { owner: project.token, widget: widget!.text, agent: agent!.text };
  await seedIssues({ port, token: project.token }, plan.issues);
  await seedFiles(port, project.token, plan);
  await original.fetch('/api/projects', {
    ...{ token: project.token, method: 'POST' },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: 'default',
      sources: [{ path: 'stories.md', content: '# US-1: Pay once\n\n# US-2: Pay later\n' }],
    }),
  });
  say('seeded');
  let commits: number[] = [];
  let stage = 'none';
  // The writer's own timer, read one by one.
  const timer = original.evidence.database.writes.commits;
  const { observe } = timer;
  timer.observe = (ms) => {
    observe(ms);
    commits.push(ms);
    if (ms > SLOW_MS) say(`a commit took ${Math.round(ms)} ms, stage ${stage}`);
  };

  async function load(seconds: number): Promise<MixedResult> {
    const { connections } = plan;
    const mixed: MixedPlan = { port, tokens, seconds, connections, fileBytes: 50_000, timed: true };
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, '../../scripts/bench/mixed-load.ts')],
      { stdin: new Blob([JSON.stringify(mixed)]), stdout: 'pipe', stderr: 'inherit' },
    );
    return JSON.parse(await new Response(child.stdout).text()) as MixedResult;
  }
  function figures({ times }: MixedResult) {
    const sorted = Float64Array.from(times).sort();
    const slowestCommitMs = commits.reduce((most, ms) => Math.max(most, ms), 0);
    const slow = commits.filter((ms) => ms > SLOW_MS).length;
    const minutes = (performance.now() - since) / 60_000;
    commits = [];
    since = performance.now();
    return {
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      ...{ slowestCommitMs, slowPerMinute: slow / minutes },
    };
  }

  commits = [];
  let since = performance.now();
  const calm = await load(plan.seconds);
  const before = figures(calm);
  say(`without a backup: ${JSON.stringify(before)}`);

  const archive = join(folder, 'backup.tar');
  const began = performance.now();
  let backupMs = 0;
  const made = backUp(original.evidence, { kind: 'file', path: archive }, {}, (now) => {
    if (now !== stage) say(`${now} at ${Math.round(performance.now() - began)} ms`);
    stage = now;
  }).then((report) => {
    backupMs = performance.now() - began;
    stage = 'over';
    return report;
  });
  const results: MixedResult[] = [];
  // Goes on a while after the backup: what its long read has let grow is checkpointed then.
  do results.push(await load(plan.seconds));
  while (backupMs === 0);
  const report = await made;
  const busy = { ...results[0]!, times: results.flatMap(({ times }) => times) };
  const during = figures(busy);
  say(`during ${Math.round(backupMs)} ms of a backup: ${JSON.stringify(during)}`);

  // The comparison is of a state that nobody changes, the search index neither.
  await original.evidence.issuesIndex.upToDate();
  const still = join(folder, 'still.tar');
  await backUp(original.evidence, { kind: 'file', path: still }, {});
  const target = join(folder, 'restored');
  const restored = await restoreBackup(
    { path: still, target, newKeys: true, freeDiskBytes: 0 },
    { pace: unpaced, onProgress: () => {} },
  );
  const copy = await openInstance({ ...flags, 'log-level': 'silent' }, { dataDir: target });
  const paths = await pathsOf(original, project.token);
  const different: string[] = [];
  const ask = async (instance: Instance, path: string) => {
    const answer = await instance.fetch(path, { token: project.token });
    return `${answer.status} ${withoutLinks(await answer.text())}`;
  };
  let compared = 0;
  for (const path of paths) {
    const answer = await ask(original, path);
    // Readings of the clock differ by themselves.
    if (answer !== (await ask(original, path))) continue;
    compared += 1;
    if (answer !== (await ask(copy, path))) different.push(path);
  }
  const { pages } = await pageCount(original);
  await copy.close();
  await original.close();
  return {
    ...{ before, during, backupMs, databaseBytes: pages * 4096, restored, different },
    ...{ files: report.files, bytes: report.bytes, compared },
    complaints: [calm, ...results].flatMap(({ complaints }) => complaints),
  };
}

async function seedFiles(port: number, token: string, { files, fileBytes }: LoadPlan) {
  const client = await openClient(port);
  let issue = '';
  for (let index = 0; index < files; index++) {
    if (index % 20 === 0) {
      const json = { title: `With files ${index}` };
      const filed = { method: 'POST', path: '/api/issues', token, json };
      issue = (await client.askJson<{ id: string }>(filed, 201)).id;
    }
    const body = Buffer.alloc(fileBytes, `content ${index} `);
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="a.bin"',
    };
    const path = `/api/issues/${issue}/attachments`;
    await client.askJson({ method: 'POST', path, token, headers, body }, 201);
  }
  client.close();
}

/** Every GET of the access table, lists to their last row shown, and some single resources. */
async function pathsOf(instance: Instance, token: string): Promise<string[]> {
  const { items } = (await (await instance.fetch('/api/issues?limit=20', { token })).json()) as {
    items: { id: string }[];
  };
  // The log of the original has the entry of the backup itself.
  const otherwise = ['/health', '/ready', '/system-logs'];
  const walked = ACCESS.filter(
    ({ method, path }) => method === 'GET' && !path.includes(':') && !otherwise.includes(path),
  );
  return [
    ...walked.map(({ path }) => `/api${path}`),
    ...['/api/srs-story/US-1', '/api/srs-workflow/US-1', '/api/projects?include=sources,revisions'],
    ...[
      '/api/issues?limit=200',
      '/api/issues?q=checkout&limit=200',
      '/api/srs-graph?view=effective',
    ],
    '/api/system-logs?limit=200&source=checkout',
    ...items.map(({ id }) => `/api/issues?id=${id}`),
  ];
}

function withoutLinks(text: string): string {
  return text.replace(/"\/api\/files\/[^"]*"/g, '"link"').replace(/"requestId":"[^"]*"/g, '');
}

async function pageCount({ evidence }: Instance): Promise<{ pages: number }> {
  const rows = (await evidence.database.read.all('pragma page_count' as never)) as unknown[][];
  return { pages: Number(Object.values(rows[0] ?? [0])[0]) };
}
