// Pages of the database overwritten one at a time: what an instance on it answers then is right, or an
// error beside a failing check; or it does not start, and says why.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { failureText } from '../../src/cli/run.ts';
import { ask, copyOf, failingChecks, type GoodFolder } from '../support/damaged-instance.ts';
import { openInstance } from '../support/instance.ts';

export interface PageReport {
  pages: number;
  /** Starts that were refused. */
  refused: number;
  /** Rounds in which something was answered with an error. */
  noticed: number;
  broken: string[];
}

/**
 * Damages one page of a copy after the other.
 *
 * @param count - how many pages
 * @param seed - chooses them
 */
export async function pageRounds(
  good: GoodFolder,
  count: number,
  seed: number,
): Promise<PageReport> {
  const report: PageReport = { pages: 0, refused: 0, noticed: 0, broken: [] };
  const { pages, size } = pagesOf(join(good.dataDir, 'pqrs.db'));
  for (const page of chosen(pages, count, seed)) {
    report.pages += 1;
    const dataDir = copyOf(good.dataDir);
    const file = openSync(join(dataDir, 'pqrs.db'), 'r+');
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(file);
    const instance = await openInstance({}, { dataDir }).catch((error) => {
      report.refused += 1;
      const text = failureText(error, dataDir);
      if (!text.includes('damaged')) report.broken.push(`page ${page}: ${text}`);
      return undefined;
    });
    if (!instance) continue;
    const answers = await ask(instance, good.token, good.paths);
    const failing = await failingChecks(instance, good.token);
    await instance.close();
    const wrong = good.paths.filter((path) => answers[path]?.text !== good.answers[path]?.text);
    if (wrong.length > 0) report.noticed += 1;
    for (const path of wrong) {
      const { status = 0, code, text = '' } = answers[path] ?? {};
      const isTold = code === 'damaged' && failing.includes('database:damage');
      if (!isTold) report.broken.push(`page ${page}: ${path} ${status} ${text.slice(0, 200)}`);
    }
  }
  return report;
}

/** The pages in use. */
function pagesOf(path: string): { pages: number[]; size: number } {
  const database = new Database(path, { readonly: true } as Database.Options);
  const sql = 'select pageno from dbstat order by pageno';
  const pages = database.prepare(sql).raw(true).all([]) as number[][];
  const [size] = database.prepare('pragma page_size').raw(true).get([]) as number[];
  database.close();
  return { pages: pages.map(([page]) => page ?? 0), size: size ?? 0 };
}

/** Some of the pages; the same for the same seed. */
function chosen(pages: readonly number[], count: number, seed: number): number[] {
  const left = [...pages];
  const found: number[] = [];
  for (let state = seed; found.length < count && left.length > 0; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    found.push(...left.splice(state % left.length, 1));
  }
  return found;
}
