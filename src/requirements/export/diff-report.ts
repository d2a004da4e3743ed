// What changed between two revisions, as a page and as Markdown for a review.
import type { Change, GraphDiff } from '../graph/diff.ts';
import { type Html, html, pageText } from './html.ts';

type Item = GraphDiff['added'][number];

const placeText = ({ path, line }: Item['source']) => (line > 0 ? `${path}:${line}` : path);
const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const revisionText = ({ revision, baseline }: GraphDiff['from']) =>
  baseline === null ? `revision ${revision}` : `${baseline} (revision ${revision})`;
const titleOf = (diff: GraphDiff, project: string) =>
  `Changes of ${project}: ${revisionText(diff.from)} to ${revisionText(diff.to)}`;
const countsOf = ({ added, removed, moved, changed, verdicts }: GraphDiff) =>
  `${added.length} added, ${removed.length} removed, ${moved.length} moved, ${changed.length} changed; ${verdicts.length} verdicts no longer hold.`;

export function writeDiffHtml(diff: GraphDiff, project: string): string {
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
  const section = (name: string, parts: readonly Html[]) =>
    parts.length === 0 ? '' : html`<section><h2>${name}</h2>${parts}</section>`;
  const title = titleOf(diff, project);
  const verdicts = diff.verdicts.map(
    ({ storyId, verdict, becomes, via }) =>
      html`<p><bdi>${storyId}</bdi>: ${verdict}, ${becomes}${via === storyId ? '' : html` by <bdi>${via}</bdi>`}</p>`,
  );
  const sections = [
    section(
      'Changed',
      diff.changed.map((item) => html`${head(item)}<dl>${item.changes.map(changeHtml)}</dl>`),
    ),
    section('Added', diff.added.map(head)),
    section('Removed', diff.removed.map(head)),
    section(
      'Moved',
      diff.moved.map(
        (item) =>
          html`${head(item)}<p>from <bdi>${item.was.parentId ?? item.was.path}</bdi> to <bdi>${item.now.parentId ?? item.now.path}</bdi></p>`,
      ),
    ),
    section('Verdicts', verdicts),
  ];
  return pageText(
    title,
    html`<header><h1>${title}</h1><p>${countsOf(diff)}</p></header><main>${sections}</main>`,
  );
}

/** Text that Markdown shows as it is, in one line. */
const plain = (text: string) =>
  text.replace(/[\\`*_{}[\]()<>#|~!&]/g, '\\$&').replace(/\s*\n\s*/g, '<br>');

export function writeDiffMarkdown(diff: GraphDiff, project: string): string {
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
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${name}`, lines.join('\n')];
  const list = (items: readonly Item[]) => items.map((item) => `- ${head(item)}`);
  const parts = [
    `# ${plain(titleOf(diff, project))}`,
    countsOf(diff),
    ...section(
      'Changed',
      diff.changed.map((item) => [`- ${head(item)}`, ...item.changes.map(changeText)].join('\n')),
    ),
    ...section('Added', list(diff.added)),
    ...section('Removed', list(diff.removed)),
    ...section(
      'Moved',
      diff.moved.map(
        (item) =>
          `- ${head(item)}: from ${plain(item.was.parentId ?? item.was.path)} to ${plain(item.now.parentId ?? item.now.path)}`,
      ),
    ),
    ...section(
      'Verdicts',
      diff.verdicts.map(
        ({ storyId, verdict, becomes, via }) =>
          `- **${plain(storyId)}**: ${verdict}, ${becomes}${via === storyId ? '' : ` by ${plain(via)}`}`,
      ),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}
