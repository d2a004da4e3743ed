// Traceability as one page for reading and printing: the gaps first, then the counts, then the
// matrix. It holds no script and asks for nothing; everything from the project is escaped.
import { timestamp } from '../../clock.ts';
import type { Share } from '../../quality/runs/share.ts';
import { GAP_KINDS, type Gap, type GapKind, gapsOf, type StoryGaps } from '../coverage/gaps.ts';
import {
  COVERAGE_STATUSES,
  type CoverageSummary,
  type StoryCoverage,
  type StoryTrace,
} from '../coverage/model.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';

/** Rows of a printed table at most: beyond that nobody reads, and a browser does not lay it out. */
export const MAX_ROWS = 5000;
const MAX_TARGETS = 20;

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

/**
 * The page.
 *
 * @param stories - those that are to be in it, in source order
 */
export function writeHtml(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  project: string,
): string {
  const { revision, settings } = state.effective;
  const { summary } = state.coverage();
  const name = `Traceability of ${escapeHtml(project)}`;
  const gaps = stories
    .map((story) => ({ story, gaps: gapsOf(state, story) }))
    .filter((one) => one.gaps.length > 0);
  const needs = settings.needs.length > 0 ? settings.needs.join(' and ') : 'nothing';
  const shown =
    stories.length === summary.stories.total
      ? ''
      : ` This page shows ${stories.length} of them; the counts are of all.`;
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${name}</title>`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<style>${STYLE}</style></head><body>`,
    `<header><h1>${name}</h1>`,
    `<p>${revision ? `Revision ${revision.number} of ${timestamp(revision.createdAt)}` : 'No revision yet'}.`,
    `Every story needs: ${needs}. ${summary.stories.total} stories are counted.${shown}</p>`,
    headline(summary),
    '<nav><a href="#gaps">Gaps</a> <a href="#counts">Counts</a> <a href="#matrix">Matrix</a></nav></header>',
    `<main>${gapsSection(state, gaps)}${countsSection(state, gaps)}${matrixSection(state, stories)}</main>`,
    '</body></html>\n',
  ].join('\n');
}

function headline({ covered, validated, statuses, traces }: CoverageSummary): string {
  const passing = {
    count: statuses.passing.count + statuses.validated.count,
    total: statuses.passing.total,
  };
  const figures = [
    ['Covered', shareText(covered)],
    ['Failing', `${statuses.failing.count} of ${statuses.failing.total}`],
    ['Passing or validated', `${passing.count} of ${passing.total}`],
    ['Validated', shareText(validated)],
    ['Links in doubt', `${traces.suspect + traces.broken} of ${traces.total}`],
  ];
  const terms = figures.map(([term, text]) => `<div><dt>${term}</dt><dd>${text}</dd></div>`);
  return `<dl class="figures">${terms.join('')}</dl>`;
}

function gapsSection(state: AssuranceState, gaps: readonly StoryGaps[]): string {
  if (gaps.length === 0) return '<section id="gaps"><h2>Gaps</h2><p>There are none.</p></section>';
  const rows = gaps.slice(0, MAX_ROWS).map(({ story, gaps: own }) => {
    const left = joined(
      own.map((gap) => gapText(state, gap)),
      MAX_TARGETS,
    );
    return `<tr>${storyCells(story)}<td>${left}</td></tr>`;
  });
  return `<section id="gaps"><h2>Gaps</h2><p>${gaps.length} stories have something left to do.</p>${table(
    ['Story', 'Title', 'Status', 'Left to do'],
    rows,
    gaps.length,
  )}</section>`;
}

function gapText(state: AssuranceState, { gap, need, target }: Gap): string {
  const text = GAP_TEXT[gap];
  if (need !== null) return escapeHtml(`${text} ${need}`);
  return target ? `${targetText(state, target)} ${text}` : text;
}

function countsSection(state: AssuranceState, gaps: readonly StoryGaps[]): string {
  const { statuses, inherited, needs, stories, traces } = state.coverage().summary;
  const lost = state.traces.filter(({ storyId }) => !state.effective.node(storyId)).length;
  const byStatus = COVERAGE_STATUSES.map(
    (status) =>
      `<tr><th scope="row" class="${status}">${status}</th>${number(statuses[status].count)}` +
      `${cell(percent(statuses[status]), 'n')}${number(inherited[status].count)}</tr>`,
  );
  const byNeed = needs.map(
    ({ need, met, justified, unmet, covered }) =>
      `<tr><th scope="row">${need}</th>${[met, justified, unmet].map(number).join('')}` +
      `${cell(percent(covered), 'n')}</tr>`,
  );
  const all = gaps.flatMap((one) => one.gaps);
  const byGap = GAP_KINDS.map((kind) => {
    const count = all.filter(({ gap }) => gap === kind).length;
    return `<tr><th scope="row">${kind.replaceAll('_', ' ')}</th>${number(count)}</tr>`;
  });
  const byState = (['valid', 'suspect', 'broken'] as const).map(
    (one) => `<tr><th scope="row">${one}</th>${number(traces[one])}</tr>`,
  );
  return [
    `<section id="counts"><h2>Counts</h2><p>${stories.own} stories have a status of their own, ${stories.inherited} `,
    'have the worst of those that refine or derive from them. ',
    `${stories.notCounted} rejected or retired ones are not counted.`,
    `${lost === 0 ? '' : ` ${lost} links are of stories that are gone.`}</p><div class="tables">`,
    table(['Status', 'Stories', 'Share', 'Inherited'], byStatus),
    needs.length === 0 ? '' : table(['Need', 'Met', 'Justified', 'Unmet', 'Share'], byNeed),
    table(['Gap', 'Count'], byGap),
    table(['Links', 'Count'], byState),
    '</div></section>',
  ].join('');
}

function number(count: number): string {
  return cell(String(count), 'n');
}

function shareText(share: Share): string {
  return share.share === null
    ? 'nothing to count'
    : `${share.count} of ${share.total} (${percent(share)})`;
}

function percent({ share }: Share): string {
  return share === null ? '–' : `${(Math.round(share * 10_000) / 100).toFixed(2)} %`;
}

function matrixSection(state: AssuranceState, stories: readonly StoryCoverage[]): string {
  const rows = stories.slice(0, MAX_ROWS).map((story) => {
    const by = (...kinds: string[]) =>
      story.traces
        .filter(({ target }) => kinds.includes(target.kind))
        .map((trace) => linkText(state, trace));
    const linked = linkedRoutes(story);
    const routes = story.routes.filter((route) => !linked.has(route)).map(escapeHtml);
    const reasons = story.needs.flatMap(({ need, reason }) =>
      reason === null ? [] : [escapeHtml(`no ${need} needed: ${reason}`)],
    );
    const issues = story.issues.map(({ id, number: own, severity }) =>
      escapeHtml(own === null ? id : `#${own} ${severity}`),
    );
    const cells = [
      by('scenario'),
      [...by('test', 'command'), ...reasons],
      [...routes, ...by('route')],
      by('commit', 'file', 'document'),
      issues,
      [story.lastResult ? escapeHtml(`${story.lastResult.status} ${story.lastResult.at}`) : ''],
      [verdictText(story)],
    ];
    const shown = cells.map((entries) => `<td>${joined(entries, MAX_TARGETS)}</td>`).join('');
    return `<tr>${storyCells(story)}${shown}</tr>`;
  });
  return `<section id="matrix"><h2>Matrix</h2>${table(
    [
      ...['Story', 'Title', 'Status', 'Scenarios', 'Tests and commands', 'Routes'],
      ...['Files and others', 'Issues', 'Last result', 'Last verdict'],
    ],
    rows,
    stories.length,
  )}</section>`;
}

function linkedRoutes({ traces }: StoryCoverage): ReadonlySet<string> {
  return new Set(traces.flatMap(({ target }) => (target.kind === 'route' ? [target.id] : [])));
}

function verdictText({ validation }: StoryCoverage): string {
  if (!validation) return '';
  const { verdict, standing, at } = validation;
  return escapeHtml(`${verdict}${standing === 'valid' ? '' : ` (${standing})`} ${at}`);
}

function linkText(state: AssuranceState, { type, target, state: own }: StoryTrace): string {
  const text = type === 'verifies' ? '' : `${type} `;
  const result = type === 'verifies' ? state.results.of(target) : undefined;
  const ended = result ? `: ${result.status}` : '';
  const doubt = own === 'valid' ? '' : ` <b class="${own}">${own}</b>`;
  return `${text}${targetText(state, target)}${ended}${doubt}`;
}

function targetText(state: AssuranceState, target: StoryTrace['target']): string {
  const { kind, id } = target;
  const name = kind === 'scenario' ? null : nameOf(state, target);
  return `${kind} <bdi>${escapeHtml(name ?? id)}</bdi>`;
}

function storyCells({ storyId, title, status, inherited }: StoryCoverage): string {
  const shown = inherited ? `${status}, inherited` : status;
  return (
    `<th scope="row"><bdi>${escapeHtml(storyId)}</bdi></th><td><bdi>${escapeHtml(title)}</bdi></td>` +
    `<td class="${status}">${shown}</td>`
  );
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g,
    (character) => ENTITIES[character] ?? '\ufffd',
  );
}

export function cell(html: string, name = ''): string {
  return `<td${name === '' ? '' : ` class="${name}"`}>${html}</td>`;
}

export function joined(entries: readonly string[], most: number): string {
  const shown = entries.slice(0, most).join('<br>');
  return entries.length > most ? `${shown}<br>and ${entries.length - most} more` : shown;
}

/**
 * A table whose heading is repeated on each printed page.
 *
 * @param total - how many rows there would be, where some are left out
 */
export function table(heading: readonly string[], rows: readonly string[], total = 0): string {
  const head = heading.map((one) => `<th scope="col">${one}</th>`).join('');
  const rest =
    total > rows.length
      ? `<p class="rest">The first ${rows.length} of ${total} are shown. All of them are in format=csv; filters by story, status, kind or tag show the others here.</p>`
      : '';
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>${rest}`;
}

export const STYLE = `
:root{color-scheme:light dark;--line:#8886;--bad:#b00020;--doubt:#8a5a00;--good:#1a6b2f}
@media (prefers-color-scheme:dark){:root{--bad:#ff8a8a;--doubt:#e3b341;--good:#56d364}}
*{box-sizing:border-box}
body{font:14px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:90rem;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
nav a{margin-right:1rem}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:1rem 0}
.figures dt{font-size:.85em;opacity:.8}.figures dd{margin:0;font-weight:600}
.tables{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start}.tables table{width:auto}
table{border-collapse:collapse;width:100%;font-size:.93em}
th,td{border:1px solid var(--line);padding:.2rem .45rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{overflow-wrap:normal}tbody th{font-weight:600}main>section>table tbody th{min-width:9em}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.failing,.uncovered,.broken{color:var(--bad)}
.suspect,.stale,.unexecuted{color:var(--doubt)}
.validated,.passing{color:var(--good)}
.rest{font-style:italic}
@page{size:A4 landscape;margin:12mm;@bottom-right{content:counter(page) " / " counter(pages);font-size:8pt}}
@media print{
:root{color-scheme:light;--line:#999;--bad:#8c0019;--doubt:#6b4600;--good:#14532d}
body{margin:0;padding:0;max-width:none;font-size:8.5pt}
nav{display:none}h2{break-after:avoid}
thead{display:table-header-group}tr{break-inside:avoid}
#matrix{break-before:page}
}
`;
