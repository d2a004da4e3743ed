// Traceability as CSV (RFC 4180): a line of names, then one a story or link, each ended by CRLF.
import { optionalTimestamp } from '../../clock.ts';
import { joinParts, type Parts } from '../../model/parts.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';

type Columns<T> = readonly (readonly [name: string, textOf: (item: T) => string])[];

const listed = (values: readonly string[]) => values.join('; ');
const targets = (list: readonly { kind: string; id: string }[]) =>
  listed(list.map(({ kind, id }) => `${kind} ${id}`));
const needsThat = ({ needs }: StoryCoverage, state: string) =>
  listed(needs.filter((need) => need.state === state).map(({ need }) => need));
const tracesThat = ({ traces }: StoryCoverage, state: string) =>
  targets(traces.filter((trace) => trace.state === state).map(({ target }) => target));
const reasonsOf = ({ needs }: StoryCoverage) =>
  needs.flatMap(({ need, reason }) => (reason === null ? [] : `${need}: ${reason}`));

const STORY_COLUMNS: Columns<StoryCoverage> = [
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

const TRACE_COLUMNS: Columns<StoryTrace & { name: string }> = [
  ['id', ({ id }) => id ?? ''],
  ['storyId', ({ storyId }) => storyId],
  ['type', ({ type }) => type],
  ['targetKind', ({ target }) => target.kind],
  ['targetId', ({ target }) => target.id],
  ['origin', ({ origin }) => origin],
  ['state', ({ state }) => state],
  ['fingerprint', ({ row }) => row?.fingerprint ?? ''],
  ['note', ({ row }) => row?.note ?? ''],
  ['createdAt', ({ row }) => optionalTimestamp(row?.createdAt ?? null) ?? ''],
  ['reviewedAt', ({ row }) => optionalTimestamp(row?.reviewedAt ?? null) ?? ''],
  ['targetName', ({ name }) => name],
];

export function writeCsv(stories: readonly StoryCoverage[]): Parts {
  return tableOf(STORY_COLUMNS, stories);
}

export function writeTracesCsv(state: AssuranceState, traces: readonly StoryTrace[]): Parts {
  const named = traces.map((one) => ({ ...one, name: nameOf(state, one.target) ?? '' }));
  return tableOf(TRACE_COLUMNS, named);
}

/**
 * One cell. Where a spreadsheet would take the text for a formula, an apostrophe goes before it: at
 * `=`, `+`, `-`, `@`, also in their full-width forms, at a tab, return or line feed.
 */
export function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function* tableOf<T>(columns: Columns<T>, items: readonly T[]): Generator<string> {
  const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;
  yield line(columns.map(([name]) => name));
  yield* joinParts(items, '', (item) => line(columns.map(([, textOf]) => cellOf(textOf(item)))));
}
