// Traceability as one page for reading and printing: the gaps first, then the counts, then the
// matrix. It holds no script and asks for nothing; everything from the project is escaped.
import { timestamp } from '../../clock.ts';
import { joinParts, type Parts } from '../../model/parts.ts';
import type { Share } from '../../quality/runs/flaky.ts';
import { Html, type HtmlPart, html, pageParts } from '../../requirements/export/html.ts';
import { summaryOf } from '../coverage/coverage.ts';
import {
  COVERAGE_STATUSES,
  type CoverageSummary,
  type StoryCoverage,
  type StoryTrace,
} from '../coverage/model.ts';
import type { Scope } from '../coverage/scope.ts';
import { type Gap, type GapKind, gapsOf, listGaps } from '../coverage/story-coverage.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';

/** Rows of a printed table at most: beyond that nobody reads, and a browser does not lay it out. */
export const MAX_ROWS = 5000;
const MAX_ENTRIES = 20;

export function writeHtml(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  project: string,
  scope?: Scope,
): Parts {
  return pageParts(`Traceability of ${project}`, bodyOf(state, stories, project, scope));
}

function* bodyOf(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  project: string,
  scope: Scope | undefined,
): Generator<string> {
  const { revision, settings } = state.effective;
  const summary = summaryOf(state, scope);
  const { total } = summary.stories;
  const read = revision
    ? `Revision ${revision.number} of ${timestamp(revision.createdAt)}`
    : 'No revision yet';
  const needs = settings.needs.join(' and ') || 'nothing';
  yield html`<header><h1>Traceability of ${project}</h1>
<p>${read}. Every story needs: ${needs}. ${total} stories are counted, and ${stories.length} are on this page.</p>
${statusBar(summary)}<nav><a href="#gaps">Gaps</a> <a href="#counts">Counts</a> <a href="#matrix">Matrix</a></nav></header><main>`
    .text;
  yield* gapsSection(state, stories);
  yield* countsSection(summary);
  yield* matrixSection(state, stories);
  yield '</main>';
}

/** The statuses in small; the table of counts says the same. */
function statusBar({ statuses }: CoverageSummary): Html {
  const parts = COVERAGE_STATUSES.filter((status) => statuses[status].count > 0).map(
    (status) => html`<i class="${status}" style="flex-grow:${statuses[status].count}"></i>`,
  );
  return html`<div class="bar" aria-hidden="true">${parts}</div>`;
}

const GAP_TEXT: Record<GapKind, string> = {
  failing_test: 'fails',
  unmet_need: 'needs a',
  broken_trace: 'is gone',
  suspect_trace: 'was linked for an earlier text',
  stale_test: 'passed for an earlier text',
  unexecuted_test: 'has not run',
  quarantined_test: 'is quarantined',
  nothing_executed: 'Nothing has shown that it holds',
};

function* gapsSection(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const gapText = ({ gap, need, target }: Gap) =>
    html`${target ? targetText(state, target) : ''} ${GAP_TEXT[gap]} ${need ?? ''}`;
  const { stories: having } = listGaps(state);
  const items = stories.filter(({ storyId }) => having.has(storyId));
  const rowOf = (story: StoryCoverage) =>
    row(...storyCells(story), entries(gapsOf(state, story).map(gapText)));
  const heading = ['Story', 'Title', 'Status', 'Left to do'];
  yield '<section id="gaps"><h2>Gaps</h2>';
  yield* table(heading, items, rowOf);
  yield '</section>';
}

function* countsSection(summary: CoverageSummary) {
  const { statuses, inherited, needs, stories, traces, ...shares } = summary;
  const byStatus = table(['Status', 'Stories', 'Inherited'], COVERAGE_STATUSES, (status) => {
    const name = html`<th scope="row"><span class="tag ${status}">${status}</span></th>`;
    return row(name, shareText(statuses[status]), inherited[status].count);
  });
  const byNeed = table(
    ['Need', 'Met', 'Justified', 'Unmet', 'Covered'],
    needs,
    ({ need, met, justified, unmet, covered }) =>
      row(need, met, justified, unmet, shareText(covered)),
  );
  yield html`<section id="counts"><h2>Counts</h2>
<p>Covered: ${shareText(shares.covered)}. Validated: ${shareText(shares.validated)}.
${stories.own} stories have a status of their own, ${stories.inherited} have the worst of those that refine or derive from them.
${stories.notCounted} rejected or retired ones are not counted.
${traces.valid} links are valid, ${traces.suspect} suspect, ${traces.broken} broken.</p>
`.text;
  yield* byStatus;
  yield* byNeed;
  yield '</section>';
}

function shareText({ count, total, share }: Share): string {
  if (share === null) return 'nothing to count';
  return `${count} of ${total} (${(Math.round(share * 10_000) / 100).toFixed(2)} %)`;
}

function* matrixSection(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const rowOf = (story: StoryCoverage) => {
    const { traces, needs, routes, issues, lastResult, validation } = story;
    const links = (...kinds: string[]) =>
      traces
        .filter(({ target }) => kinds.includes(target.kind))
        .map((trace) => linkText(state, trace));
    const linked = new Set(traces.map(({ target }) => target.id));
    const reasons = needs.flatMap(({ need, reason }) =>
      reason === null ? [] : html`no ${need} needed: ${reason}`,
    );
    return row(
      ...storyCells(story),
      entries(links('scenario')),
      entries([...links('test', 'command'), ...reasons]),
      entries([...routes.filter((route) => !linked.has(route)), ...links('route')]),
      entries(links('commit', 'file', 'document')),
      entries(issues.map(({ number, severity }) => `#${number} ${severity}`)),
      lastResult ? `${lastResult.status} ${lastResult.at}` : '',
      validation ? `${validation.verdict} (${validation.standing}) ${validation.at}` : '',
    );
  };
  const heading = [
    ...['Story', 'Title', 'Status', 'Scenarios', 'Tests and commands', 'Routes'],
    ...['Files and others', 'Issues', 'Last result', 'Last verdict'],
  ];
  yield '<section id="matrix"><h2>Matrix</h2>';
  yield* table(heading, stories, rowOf);
  yield '</section>';
}

function linkText(state: AssuranceState, { type, target, state: own }: StoryTrace): Html {
  const verifies = type === 'verifies';
  const result = verifies ? state.results.of(target) : undefined;
  const doubt =
    own === 'valid'
      ? ''
      : html` <b class="tag ${own === 'broken' ? 'failing' : 'suspect'}">${own}</b>`;
  return html`${verifies ? '' : `${type} `}${targetText(state, target)}${result ? `: ${result.status}` : ''}${doubt}`;
}

function targetText(state: AssuranceState, target: StoryTrace['target']): Html {
  const name = target.kind === 'scenario' ? null : nameOf(state, target);
  return html`${target.kind} <bdi>${name ?? target.id}</bdi>`;
}

function storyCells({ storyId, title, status, inherited }: StoryCoverage): Html[] {
  return [
    html`<th scope="row"><bdi>${storyId}</bdi></th>`,
    html`<td><bdi>${title}</bdi></td>`,
    html`<td><span class="tag ${status}">${status}</span>${inherited ? ' inherited' : ''}</td>`,
  ];
}

function entries(list: readonly HtmlPart[]): Html {
  const more = list.length > MAX_ENTRIES ? `and ${list.length - MAX_ENTRIES} more` : '';
  return html`<td>${list.slice(0, MAX_ENTRIES).map((one) => html`${one}<br>`)}${more}</td>`;
}

function row(...cells: readonly HtmlPart[]): Html {
  const tagged = cells.map((one) => (one instanceof Html ? one : html`<td>${one}</td>`));
  return html`<tr>${tagged}</tr>\n`;
}

function* table<T>(
  heading: readonly string[],
  items: readonly T[],
  rowOf: (item: T) => Html,
): Generator<string> {
  if (items.length === 0) {
    yield '<p>There are none.</p>';
    return;
  }
  const rest =
    items.length > MAX_ROWS
      ? html`<p>The first ${MAX_ROWS} of ${items.length} are shown. All of them are in format=csv; filters show the others here.</p>`
      : '';
  const head = heading.map((one) => html`<th scope="col">${one}</th>`);
  yield html`<table><thead><tr>${head}</tr></thead><tbody>`.text;
  yield* joinParts(items.slice(0, MAX_ROWS), '', (item) => rowOf(item).text);
  yield html`</tbody></table>${rest}`.text;
}
