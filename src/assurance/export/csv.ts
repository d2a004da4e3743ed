// Traceability as CSV (RFC 4180): a line of names, then one a story, each ended by CRLF.
import { joinParts } from '../../model/parts.ts';
import type { StoryCoverage } from '../coverage/model.ts';

const listed = (values: readonly string[]) => values.join('; ');
const targets = (list: readonly { kind: string; id: string }[]) =>
  listed(list.map(({ kind, id }) => `${kind} ${id}`));
const needsThat = ({ needs }: StoryCoverage, state: string) =>
  listed(needs.filter((need) => need.state === state).map(({ need }) => need));
const tracesThat = ({ traces }: StoryCoverage, state: string) =>
  targets(traces.filter((trace) => trace.state === state).map(({ target }) => target));
const reasonsOf = ({ needs }: StoryCoverage) =>
  needs.flatMap(({ need, reason }) => (reason === null ? [] : `${need}: ${reason}`));

const COLUMNS: readonly (readonly [name: string, textOf: (story: StoryCoverage) => string])[] = [
  ['storyId', ({ storyId }) => storyId],
  ['kind', ({ kind }) => kind],
  ['title', ({ title }) => title],
  ['status', ({ status }) => status],
  ['inherited', ({ inherited }) => String(inherited)],
  ['needsMet', (story) => needsThat(story, 'met')],
  ['needsUnmet', (story) => needsThat(story, 'unmet')],
  ['justifications', (story) => listed(reasonsOf(story))],
  ['scenarios', ({ scenarios }) => listed(scenarios)],
  ['tests', ({ tests }) => targets(tests)],
  ['routes', ({ routes }) => listed(routes)],
  ['issues', ({ issues }) => listed(issues.map(({ number }) => `#${number}`))],
  ['suspectTraces', (story) => tracesThat(story, 'suspect')],
  ['brokenTraces', (story) => tracesThat(story, 'broken')],
  ['quarantinedTests', ({ tests }) => targets(tests.filter(({ quarantined }) => quarantined))],
  ['lastResult', ({ lastResult }) => lastResult?.status ?? ''],
  ['lastResultAt', ({ lastResult }) => lastResult?.at ?? ''],
  ['verdict', ({ validation }) => validation?.verdict ?? ''],
  ['verdictAt', ({ validation }) => validation?.at ?? ''],
  ['verdictStanding', ({ validation }) => validation?.standing ?? ''],
  ['testNames', ({ tests }) => listed(tests.map(({ name, id }) => name ?? id))],
];

export function* writeCsv(stories: readonly StoryCoverage[]): Generator<string> {
  const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;
  yield line(COLUMNS.map(([name]) => name));
  yield* joinParts(stories, '', (item) => line(COLUMNS.map(([, textOf]) => cellOf(textOf(item)))));
}

/**
 * One cell. Where a spreadsheet would take the text for a formula, an apostrophe goes before it: at
 * `=`, `+`, `-`, `@`, also in their full-width forms, at a tab, return or line feed.
 */
export function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
