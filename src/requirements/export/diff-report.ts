// What changed between two revisions, as a page and as Markdown for a review.
import { joinParts } from '../../model/parts.ts';
import type { Change, GraphDiff } from '../graph/diff.ts';
import { type Html, html, pageParts } from './html.ts';

type Item = GraphDiff['added'][number];

const placeText = ({ path, line }: Item['source']) => (line > 0 ? `${path}:${line}` : path);
const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const revisionText = ({ revision, baseline }: GraphDiff['from']) =>
  baseline === null ? `revision ${revision}` : `${baseline} (revision ${revision})`;
const titleOf = (diff: GraphDiff, project: string) =>
  `Changes of ${project}: ${revisionText(diff.from)} to ${revisionText(diff.to)}`;
const countsOf = ({ added, removed, moved, changed, verdicts }: GraphDiff) =>
  `${added.length} added, ${removed.length} removed, ${moved.length} moved, ${changed.length} changed; ${verdicts.length} verdicts no longer hold.`;

export function* writeDiffHtml(diff: GraphDiff, project: string): Generator<string> {
  const head = ({ id, title, source }: Item) =>
    html`<h3><bdi>${id}</bdi> <bdi>${title}</bdi></h3><p>${placeText(source)}</p>`;
  const changeHtml = ({ field, was, now, words }: Change) => {
    if (!words)
      return html`<dt>${field}</dt><dd><del>${valueText(was)}</del> <ins>${valueText(now)}</ins></dd>`;
    const shown = words.map(({ text, is }) =>
      is === 'same' ? text : is === 'added' ? html`<ins>${text}</ins>` : html`<del>${text}</del>`,
    );
    return html`<dt>${field}</dt><dd class="text">${shown}</dd>`;
  };
  const title = titleOf(diff, project);
  function* body() {
    yield html`<header><h1>${title}</h1><p>${countsOf(diff)}</p></header><main>`.text;
    yield* sectionHtml(
      'Changed',
      diff.changed,
      (item) => html`${head(item)}<dl>${item.changes.map(changeHtml)}</dl>`,
    );
    yield* sectionHtml('Added', diff.added, head);
    yield* sectionHtml('Removed', diff.removed, head);
    yield* sectionHtml(
      'Moved',
      diff.moved,
      (item) =>
        html`${head(item)}<p>from <bdi>${item.was.parentId ?? item.was.path}</bdi> to <bdi>${item.now.parentId ?? item.now.path}</bdi></p>`,
    );
    yield* sectionHtml(
      'Verdicts',
      diff.verdicts,
      ({ storyId, verdict, becomes, via }) =>
        html`<p><bdi>${storyId}</bdi>: ${verdict}, ${becomes}${via === storyId ? '' : html` by <bdi>${via}</bdi>`}</p>`,
    );
    yield '</main>';
  }
  yield* pageParts(title, body());
}

function* sectionHtml<T>(name: string, items: readonly T[], htmlOf: (item: T) => Html) {
  if (items.length === 0) return;
  yield html`<section><h2>${name}</h2>`.text;
  yield* joinParts(items, '', (item) => htmlOf(item).text);
  yield '</section>';
}

/** Text that Markdown shows as it is, in one line. */
const plain = (text: string) =>
  text.replace(/[\\`*_{}[\]()<>#|~!&]/g, '\\$&').replace(/\s*\n\s*/g, '<br>');

export function* writeDiffMarkdown(diff: GraphDiff, project: string): Generator<string> {
  const head = ({ id, title, source }: Item) =>
    `**${plain(id)}** ${plain(title)} (${plain(placeText(source))})`;
  const changeText = ({ field, was, now, words }: Change) => {
    const all = words ?? [
      { text: valueText(was), is: 'removed' },
      { text: valueText(now), is: 'added' },
    ];
    const shown = all.map(({ text, is }) => {
      if (is === 'same' || text === '') return plain(text);
      return is === 'added' ? `<ins>${plain(text)}</ins>` : `<del>${plain(text)}</del>`;
    });
    return `  - ${field}: ${shown.join('')}`;
  };
  const line = (item: Item) => `- ${head(item)}`;
  yield `# ${plain(titleOf(diff, project))}\n\n${countsOf(diff)}\n`;
  yield* sectionMarkdown('Changed', diff.changed, (item) =>
    [line(item), ...item.changes.map(changeText)].join('\n'),
  );
  yield* sectionMarkdown('Added', diff.added, line);
  yield* sectionMarkdown('Removed', diff.removed, line);
  yield* sectionMarkdown(
    'Moved',
    diff.moved,
    (item) =>
      `${line(item)}: from ${plain(item.was.parentId ?? item.was.path)} to ${plain(item.now.parentId ?? item.now.path)}`,
  );
  yield* sectionMarkdown(
    'Verdicts',
    diff.verdicts,
    ({ storyId, verdict, becomes, via }) =>
      `- **${plain(storyId)}**: ${verdict}, ${becomes}${via === storyId ? '' : ` by ${plain(via)}`}`,
  );
}

function* sectionMarkdown<T>(name: string, items: readonly T[], textOf: (item: T) => string) {
  if (items.length === 0) return;
  yield `\n## ${name}\n\n`;
  yield* joinParts(items, '\n', textOf);
  yield '\n';
}
