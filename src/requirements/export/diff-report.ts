// What changed between two revisions, as a page and as Markdown for a review.
import { joinParts } from '../../model/parts.ts';
import type { Change, GraphDiff } from '../graph/diff.ts';
import { escapeHtml, pageParts } from './html.ts';

type Item = GraphDiff['added'][number];

interface Markup {
  text(text: string): string;
  name(id: string): string;
  head(title: string, counts: string): string;
  section(name: string): string;
  item(text: string, lines?: readonly string[]): string;
  end: string;
}

const bdi = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;

const HTML: Markup = {
  text: escapeHtml,
  name: (id) => `<b>${bdi(id)}</b>`,
  head: (title, counts) => `<header><h1>${bdi(title)}</h1><p>${counts}</p></header>`,
  section: (name) => `<section><h2>${name}</h2><ul>`,
  item: (text, lines = []) =>
    `<li>${text}${lines.map((line) => `<p class="text">${line}</p>`).join('')}</li>`,
  end: '</ul></section>',
};

/** Text that Markdown shows as it is, in one line. */
const plain = (text: string) =>
  text.replace(/[\\`*_{}[\]()<>#|~!&]/g, '\\$&').replace(/\s*\n\s*/g, '<br>');

const MARKDOWN: Markup = {
  text: plain,
  name: (id) => `**${plain(id)}**`,
  head: (title, counts) => `# ${plain(title)}\n\n${counts}\n`,
  section: (name) => `\n## ${name}\n\n`,
  item: (text, lines = []) => [`- ${text}\n`, ...lines.map((line) => `  - ${line}\n`)].join(''),
  end: '',
};

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const revisionText = ({ revision, baseline }: GraphDiff['from']) =>
  baseline === null ? `revision ${revision}` : `${baseline} (revision ${revision})`;
const titleOf = (diff: GraphDiff, project: string) =>
  `Changes of ${project}: ${revisionText(diff.from)} to ${revisionText(diff.to)}`;

export function writeDiffHtml(diff: GraphDiff, project: string): Generator<string> {
  return pageParts(titleOf(diff, project), writeDiff(diff, project, HTML));
}

export function writeDiffMarkdown(diff: GraphDiff, project: string): Generator<string> {
  return writeDiff(diff, project, MARKDOWN);
}

function* writeDiff(diff: GraphDiff, project: string, markup: Markup): Generator<string> {
  const { added, removed, moved, changed, verdicts } = diff;
  const { text, name, item } = markup;
  function* section<T>(title: string, items: readonly T[], textOf: (item: T) => string) {
    if (items.length === 0) return;
    yield markup.section(title);
    yield* joinParts(items, '', textOf);
    yield markup.end;
  }
  const head = ({ id, title, source: { path, line } }: Item) =>
    `${name(id)} ${text(title)} (${text(line > 0 ? `${path}:${line}` : path)})`;
  const change = ({ field, was, now, words }: Change) => {
    const all = words ?? [
      { text: valueText(was), is: 'removed' },
      { text: valueText(now), is: 'added' },
    ];
    const shown = all.map((one) => {
      if (one.is === 'same' || one.text === '') return text(one.text);
      const tag = one.is === 'added' ? 'ins' : 'del';
      return `<${tag}>${text(one.text)}</${tag}>`;
    });
    return `${field}: ${shown.join('')}`;
  };
  const counts = `${added.length} added, ${removed.length} removed, ${moved.length} moved, ${changed.length} changed; ${verdicts.length} verdicts no longer hold.`;
  yield markup.head(titleOf(diff, project), counts);
  yield* section('Changed', changed, (one) => item(head(one), one.changes.map(change)));
  yield* section('Added', added, (one) => item(head(one)));
  yield* section('Removed', removed, (one) => item(head(one)));
  yield* section('Moved', moved, (one) => {
    const [was, now] = [one.was, one.now].map(({ parentId, path }) => text(parentId ?? path));
    return item(`${head(one)}: from ${was} to ${now}`);
  });
  yield* section('Verdicts', verdicts, ({ storyId, verdict, becomes, via }) =>
    item(`${name(storyId)}: ${verdict}, ${becomes}${via === storyId ? '' : ` by ${text(via)}`}`),
  );
}
