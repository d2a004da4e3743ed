// Reports what `npm test` ran to a running pqrs, where PQRS_REPORT_URL names one and
// PQRS_REPORT_TOKEN, or the file that PQRS_REPORT_TOKEN_FILE names, holds a token with
// agent:execute: each test file becomes a run, of the command that has its path as its key where the
// project has one, as the demo project does. To see pqrs's own stories with their real tests:
//
//   dist/pqrs serve --demo --data-dir .data
//   dist/pqrs token create --project demo --capability agent:execute --data-dir .data --json
//   PQRS_REPORT_URL=http://127.0.0.1:4870 PQRS_REPORT_TOKEN_FILE=… npm test
//
// Reporting never changes how the tests ended; where it fails, a line says why.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { root } from './install.mjs';

const TIMEOUT_MS = 60_000;

/**
 * @typedef {{ url: string, token: string }} ReportTarget
 * @typedef {{ file: string, xml: string }} FileReport
 */

/**
 * Where to report to; undefined where nobody wishes it.
 * @param {Record<string, string | undefined>} environment
 * @returns {ReportTarget | undefined}
 * @throws where no token is given, or its file cannot be read
 */
export function reportTarget(environment) {
  const { PQRS_REPORT_URL: url, PQRS_REPORT_TOKEN_FILE: file } = environment;
  if (!url) return undefined;
  const token = file ? readFileSync(file, 'utf8').trim() : environment.PQRS_REPORT_TOKEN;
  if (!token) throw new Error('neither PQRS_REPORT_TOKEN nor PQRS_REPORT_TOKEN_FILE gives a token');
  return { url: url.replace(/\/+$/, ''), token };
}

/**
 * The environment without the variables that are for reporting: a pqrs that a test starts refuses
 * settings that it does not know, and no test needs the token.
 * @param {Record<string, string | undefined>} environment
 */
export function withoutReporting(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('PQRS_REPORT_')),
  );
}

/**
 * Takes Bun's JUnit file apart: a report for each test file.
 * @param {string} xml
 * @returns {FileReport[]}
 */
export function reportsByFile(xml) {
  const suites = xml.matchAll(
    /^ {2}<testsuite name="([^"]*)"(?:[^\n]*\/>$|[\s\S]*?^ {2}<\/testsuite>$)/gm,
  );
  return [...suites].map(([text, name = '']) => {
    const time = / time="([\d.]+)"/.exec(text)?.[1] ?? '0';
    const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" time="${time}">`;
    return {
      file: unescaped(name).replaceAll('\\', '/'),
      xml: `${head}\n${text}\n</testsuites>\n`,
    };
  });
}

/** @param {string} text */
function unescaped(text) {
  const characters = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(
    /&(lt|gt|quot|apos|amp);/g,
    (_, name) => characters[/** @type {keyof typeof characters} */ (name)],
  );
}

/**
 * Reports a run of the tests, and says in a line what came of that. Never throws.
 * @param {object} run
 * @param {ReportTarget} run.target
 * @param {string} run.junit the path of Bun's JUnit file
 * @param {Date} run.startedAt when the tests began
 * @param {readonly string[]} run.expected files that a result must be of
 * @param {(line: string) => void} say
 */
export async function reportTests({ target, junit, startedAt, expected }, say) {
  const counts = new Map();
  try {
    if (!existsSync(junit)) throw new Error('Bun left no report');
    const modifiedAt = statSync(junit).mtime;
    const reports = new Map(
      reportsByFile(readFileSync(junit, 'utf8')).map(({ file, xml }) => [file, xml]),
    );
    const known = await commandKeys(target);
    const run = {
      ...sourceState(),
      root,
      agent: { name: 'npm test' },
      startedAt: startedAt.toISOString(),
    };
    for (const file of new Set([...reports.keys(), ...expected])) {
      const named = { name: file, ...(known.has(file) ? { commandId: file } : {}) };
      const execution = {
        startedAt: startedAt.toISOString(),
        reportModifiedAt: modifiedAt.toISOString(),
        expectedFiles: [file],
      };
      const status = await send(target, { ...run, ...named, execution }, reports.get(file));
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    say(`Reported to ${target.url}: ${told(counts)}.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const before = counts.size > 0 ? ` after ${told(counts)}` : '';
    say(`The tests were not reported to ${target.url}${before}: ${why}.`);
  }
}

/** @param {ReadonlyMap<string, number>} counts */
function told(counts) {
  const parts = ['passed', 'failed', 'broken'].map(
    (status) => `${counts.get(status) ?? 0} ${status}`,
  );
  return `${[...counts.values()].reduce((sum, one) => sum + one, 0)} test files, ${parts.join(', ')}`;
}

/** The commit and branch that were tested; a commit with changes on top of it is told as such. */
function sourceState() {
  const commit = git('describe', '--always', '--abbrev=40', '--exclude=*', '--dirty');
  const branch = git('symbolic-ref', '--short', '-q', 'HEAD');
  return { ...(commit ? { commit } : {}), ...(branch ? { branch } : {}) };
}

/** @param {string[]} args */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/**
 * The keys of the commands that a project has in use.
 * @param {ReportTarget} target
 * @returns {Promise<Set<string>>}
 */
async function commandKeys(target) {
  const keys = new Set();
  let cursor = '';
  do {
    const page = await ask(target, `/api/test-commands?limit=200${cursor}`);
    for (const { key, state } of page.items) if (state !== 'archived') keys.add(key);
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  } while (cursor !== '');
  return keys;
}

/**
 * Sends a run, and gives its status.
 * @param {ReportTarget} target
 * @param {object} run
 * @param {string | undefined} xml undefined where there is no report of it
 * @returns {Promise<string>}
 */
async function send(target, run, xml) {
  const body = new FormData();
  body.set('run', JSON.stringify(run));
  if (xml !== undefined)
    body.set('report', new Blob([xml], { type: 'application/xml' }), 'junit.xml');
  const { status } = await ask(target, '/api/test-runs', { method: 'POST', body });
  return status;
}

/**
 * @param {ReportTarget} target
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function ask({ url, token }, path, init = {}) {
  const answer = await fetch(`${url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error) => {
    throw new Error(error.cause?.message || error.cause?.code || error.message);
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${detailOf(text)}`);
  return JSON.parse(text);
}

/** @param {string} text of a problem document, or of anything else */
function detailOf(text) {
  try {
    const { detail, title } = JSON.parse(text);
    return detail ?? title;
  } catch {
    return text.slice(0, 200);
  }
}
