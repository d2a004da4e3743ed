// What `pqrs report` says of a run: its line, the tests that fail, which of them are new, which flake; for people,
// for GitHub, or as JUnit XML, which GitLab shows.
import { join, relative } from 'node:path';
import type { KeyedResult } from '../../quality/reports/read.ts';
import { isFailing } from '../../quality/runs/flaky.ts';
import { element, escapeText } from '../../requirements/export/xml-text.ts';
import { annotation, markdownText } from './annotations.ts';
import { onOneLine, type SubmittedRun, totalsText, whyNot } from './submission.ts';

export interface ReportedRun {
  run: SubmittedRun;
  path: string;
  /** Those that failed or flake, or all. */
  results: readonly KeyedResult[];
  /** Keys of those that did not fail before on its branch; undefined where that is not known. */
  newlyFailing: ReadonlySet<string> | undefined;
  link: string;
}

const MAX_SHOWN = 50;

export function textLines({ run, path, results, newlyFailing, link }: ReportedRun): string[] {
  const lines = [
    `${run.status.padEnd(6)}  ${path}  ${totalsText(run.totals)}  ${run.id}`,
    `        ${link}`,
    ...whyNot(run).map((text) => `        ${onOneLine(text)}`),
  ];
  for (const [words, some] of grouped(results)) {
    for (const one of some.slice(0, MAX_SHOWN)) {
      const word = words === 'fails' && newlyFailing?.has(one.testKey) ? 'new' : words;
      const parts = [word.padEnd(5), placeText(one), nameOf(one), firstLine(one)];
      lines.push(`        ${onOneLine(parts.filter((part) => part !== '').join('  '))}`);
    }
    if (some.length > MAX_SHOWN) lines.push(`        and ${some.length - MAX_SHOWN} more`);
  }
  return lines;
}

/** The failing tests, and those that flake. */
function grouped(results: readonly KeyedResult[]): ['fails' | 'flaky', KeyedResult[]][] {
  const failing = results.filter(({ status }) => isFailing(status));
  return [
    ['fails', failing],
    ['flaky', results.filter((one) => one.flaky && !isFailing(one.status))],
  ];
}

function placeText({ file, line }: KeyedResult): string {
  return [file, line].filter((part) => part !== null).join(':');
}

function nameOf({ path, name }: KeyedResult): string {
  return [...path, name].join(' > ');
}

function firstLine({ message, attempts }: KeyedResult): string {
  const text = message ?? attempts.find(({ status }) => isFailing(status))?.message ?? '';
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Annotations; files are named from the folder of the repository. */
export function githubLines(
  { run, path, results, newlyFailing, link }: ReportedRun,
  { GITHUB_WORKSPACE: workspace }: Readonly<Record<string, string | undefined>>,
): string[] {
  const folder = workspace ? relative(workspace, process.cwd()) : '';
  const [first = '', second = ''] = textLines({ run, path, link, results: [], newlyFailing });
  const lines = [first, second];
  for (const text of whyNot(run)) lines.push(annotation('error', { title: path }, text));
  for (const [word, some] of grouped(results)) {
    for (const one of some.slice(0, MAX_SHOWN)) {
      const isNew = word === 'fails' && newlyFailing?.has(one.testKey);
      const title = `${isNew ? 'fails, and did not before' : word}: ${nameOf(one)}`;
      const file = one.file?.startsWith('/') ? one.file : one.file && join(folder, one.file);
      const level = word === 'fails' ? 'error' : 'warning';
      lines.push(annotation(level, { file, line: one.line, title }, one.message ?? nameOf(one)));
    }
  }
  return lines;
}

/** The summary of a step, in Markdown. */
export function summaryLines({ run, path, results, newlyFailing, link }: ReportedRun): string[] {
  const lines = [
    `### ${run.status}: ${markdownText(path)}`,
    '',
    `[${run.id}](${link}): ${totalsText(run.totals)}`,
    '',
    ...whyNot(run).map((text) => `- ${markdownText(onOneLine(text))}`),
  ];
  const shown = grouped(results).flatMap(([word, some]) =>
    some.slice(0, MAX_SHOWN).map((one) => {
      const isNew = word === 'fails' && newlyFailing?.has(one.testKey);
      const cells = [isNew ? 'new' : word, placeText(one), nameOf(one), firstLine(one)];
      return `| ${cells.map((cell) => markdownText(onOneLine(cell))).join(' | ')} |`;
    }),
  );
  if (shown.length > 0) lines.push('', '| | where | test | why |', '|---|---|---|---|', ...shown);
  return [...lines, ''];
}

/** The runs as one JUnit report, with what GitLab reads of it. */
export function gitlabReport(runs: readonly ReportedRun[]): string {
  const suites = runs.map(({ run, path, results, newlyFailing, link }) => {
    const count = (...wanted: string[]) =>
      String(results.filter(({ status }) => wanted.includes(status)).length);
    const counts = {
      tests: String(results.length),
      failures: count('failed'),
      errors: count('broken'),
      skipped: count('skipped', 'unknown'),
    };
    const broken = whyNot(run).map((text) => element('system-err', {}, escapeText(`${text}\n`)));
    const cases = results.map((one) => caseElement(one, newlyFailing?.has(one.testKey), link));
    return element('testsuite', { name: path, ...counts }, '\n', ...cases, ...broken);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, '\n', ...suites)}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  failed: 'failure',
  broken: 'error',
  skipped: 'skipped',
  unknown: 'skipped',
};

function caseElement(result: KeyedResult, isNew = false, link: string): string {
  const { status, file, path, name, durationMs, message, trace, flaky } = result;
  const outcome = OUTCOMES[status];
  const notes = [
    isNew ? 'It did not fail before on this branch.' : '',
    flaky ? 'It is flaky.' : '',
  ];
  const said = notes.filter((note) => note !== '');
  const attributes = {
    name,
    classname: path.join('.') || undefined,
    file: file ?? undefined,
    time: durationMs === null ? undefined : String(durationMs / 1000),
  };
  return element(
    'testcase',
    attributes,
    outcome ? element(outcome, { message: message ?? undefined }, escapeText(trace ?? '')) : '',
    isFailing(status) || flaky
      ? element('system-out', {}, escapeText([...said, link].join('\n')))
      : '',
  );
}
