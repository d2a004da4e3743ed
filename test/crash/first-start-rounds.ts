// Ends the first start at random moments: whoever starts again finds the token of every project that was
// made, in its file.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { temporaryFolder } from '../../scripts/bench/running.ts';

export interface FirstStartPlan {
  executable: string;
  rounds: number;
  /** Says when to kill a start, of how long one takes: a part of it, or undefined for "at the token's file". */
  momentOf(round: number): number | undefined;
}

export interface FirstStartReport {
  /** What was found broken, with the round. */
  broken: string[];
  /** Starts that were killed before they had made a project. */
  before: number;
  /** Starts that were killed after. */
  after: number;
}

/** Ends first starts, and looks at what the next start makes of them. */
export async function firstStartRounds(plan: FirstStartPlan): Promise<FirstStartReport> {
  const report: FirstStartReport = { broken: [], before: 0, after: 0 };
  const began = performance.now();
  await init(plan.executable, join(temporaryFolder(), 'data')).exited;
  const wholeMs = performance.now() - began;
  for (let round = 0; round < plan.rounds; round++) {
    const dataDir = join(temporaryFolder(), 'data');
    const first = init(plan.executable, dataDir);
    const part = plan.momentOf(round);
    if (part !== undefined) await Bun.sleep(part * wholeMs);
    else while (first.exitCode === null && !hasTokenFile(dataDir)) await Bun.sleep(0);
    first.kill('SIGKILL');
    await first.exited;
    if (tokensIn(dataDir).length > 0) report.after++;
    else report.before++;
    const again = init(plan.executable, dataDir);
    const code = await again.exited;
    if (code !== 0) report.broken.push(`${round}: ${await new Response(again.stderr).text()}`);
    else report.broken.push(...whatIsLost(dataDir).map((text) => `${round}: ${text}`));
  }
  return report;
}

function init(executable: string, dataDir: string) {
  return Bun.spawn([executable, 'init', '--demo', '--data-dir', dataDir], {
    env: {},
    stdout: 'ignore',
    stderr: 'pipe',
  });
}

function hasTokenFile(dataDir: string): boolean {
  return ['owner.token', 'owner.token.tmp'].some((name) => existsSync(join(dataDir, name)));
}

/** What the files of the owner and of the demo do not tell of the tokens that are stored. */
export function whatIsLost(dataDir: string): string[] {
  const stored = tokensIn(dataDir);
  return [
    ['owner.token', '"project:owner"', 1],
    ['demo.token', '"read:demo"', 0],
  ].flatMap(([name, capability, instance]) => {
    const path = join(dataDir, String(name));
    const of = stored.filter(
      (row) => row.instance === instance && row.capabilities === `[${capability}]`,
    );
    if (of.length !== 1) return [`${of.length} tokens of ${name}`];
    if (!existsSync(path)) return [`${name} is not there`];
    if ((statSync(path).mode & 0o777) !== 0o600) return [`${name} is open to others`];
    if (existsSync(`${path}.tmp`)) return [`${name}.tmp is left`];
    return hashOf(readFileSync(path, 'utf8')) === of[0]?.secret_hash
      ? []
      : [`${name} holds another token`];
  });
}

interface StoredToken {
  secret_hash: string;
  capabilities: string;
  instance: number;
}

function tokensIn(dataDir: string): StoredToken[] {
  if (!existsSync(join(dataDir, 'pqrs.db'))) return [];
  const database = new Database(join(dataDir, 'pqrs.db'));
  try {
    return database.prepare('select * from tokens').all([]) as StoredToken[];
  } catch {
    // The schema is not there as yet.
    return [];
  } finally {
    database.close();
  }
}

function hashOf(file: string): string {
  const secret = file.trim().split('_')[2] ?? '';
  return createHash('sha256').update(secret).digest('hex');
}
