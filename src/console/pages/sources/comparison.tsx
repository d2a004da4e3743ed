// A comparison of two states of the requirements: figures, then each change word by word.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted, words } from '../../core/format.ts';
import { type Route, withQuery } from '../../core/route.ts';
import { Card, Chip } from '../../parts/layout.tsx';
import { More } from '../../parts/states.tsx';
import { StatusIcon } from '../../parts/status.tsx';
import { StoryLink } from '../../parts/text.tsx';
import type { GraphDiff } from './answers.ts';

const PARTS = ['changed', 'added', 'removed', 'moved', 'verdicts'] as const;
type Part = (typeof PARTS)[number];

const NAMES: Record<Part, string> = {
  changed: 'Changed',
  added: 'Added',
  removed: 'Removed',
  moved: 'Moved',
  verdicts: 'Verdicts lost',
};

const ROWS_SHOWN = 40;

interface ComparisonProps {
  route: Route;
  diff: GraphDiff;
  /** Whether all rows are shown, as on paper. */
  isWhole?: boolean;
}

export function Comparison({ route, diff, isWhole = false }: ComparisonProps) {
  const only = PARTS.find((part) => part === route.query.get('show'));
  const shown = PARTS.filter((part) => diff[part].length > 0 && (!only || only === part));
  const lost = diff.verdicts.length;
  return (
    <div class="stack">
      <section class={`card fit ${lost > 0 ? 'suspect' : 'passing'}`} aria-label="Changes">
        <p class="verdict" data-changes>
          {sentence(diff)}
        </p>
        <p class="second small">
          From {nameOf(diff.from)} to {nameOf(diff.to)}
        </p>
      </section>
      <div class="filters tight">
        {PARTS.map((part) => (
          <Chip
            key={part}
            address={withQuery(route, { show: only === part ? null : part })}
            pressed={only === part}
            count={diff[part].length}
          >
            {NAMES[part]}
          </Chip>
        ))}
      </div>
      {shown.map((part) => (
        <Rows key={part} part={part} diff={diff} isWhole={isWhole} />
      ))}
    </div>
  );
}

function nameOf({ revision, baseline }: GraphDiff['from']): string {
  return baseline === null ? `revision ${revision}` : `${baseline} (revision ${revision})`;
}

function sentence({ changed, added, removed, moved, verdicts }: GraphDiff): string {
  const parts = [
    changed.length > 0 && `${changed.length} changed`,
    added.length > 0 && `${added.length} added`,
    removed.length > 0 && `${removed.length} removed`,
    moved.length > 0 && `${moved.length} moved`,
  ].filter(Boolean);
  if (parts.length === 0) return 'Nothing changed.';
  const cost = counted(verdicts.length, 'verdict no longer holds', 'verdicts no longer hold');
  return `${parts.join(', ')}${verdicts.length > 0 ? `: ${cost}` : '; every verdict still holds'}.`;
}

function Rows({ part, diff, isWhole }: { part: Part; diff: GraphDiff; isWhole: boolean }) {
  const [shown, setShown] = useState(ROWS_SHOWN);
  const end = isWhole ? Number.POSITIVE_INFINITY : shown;
  const rows = () => {
    if (part === 'changed') return diff.changed.slice(0, end).map(changedRow);
    if (part === 'verdicts') return diff.verdicts.slice(0, end).map(verdictRow);
    if (part === 'moved')
      return diff.moved
        .slice(0, end)
        .map((item) => (
          <Item
            key={item.id}
            item={item}
            detail={`from ${item.was.path}, ${item.was.parentId ?? 'no parent'}`}
          />
        ));
    return diff[part].slice(0, end).map((item) => <Item key={item.id} item={item} />);
  };
  const all = diff[part].length;
  return (
    <Card title={NAMES[part]} aside={all} class="rows">
      <div class="inside">{rows()}</div>
      <More more={end < all ? () => setShown(shown + ROWS_SHOWN) : undefined} />
    </Card>
  );
}

type ItemOf = GraphDiff['added'][number];

interface ItemProps {
  item: ItemOf;
  detail?: string;
  children?: ComponentChildren;
}

function Item({ item: { id, title, kind, source }, detail, children }: ItemProps) {
  return (
    <article class="change">
      <h3 class="line">
        <StoryLink id={id} /> <span class="cut">{title}</span>
        <span class="faint small mono cut">
          {source.path}
          {source.line > 0 && `:${source.line}`}
        </span>
        {kind !== 'requirement' && kind !== 'story' && <span class="tag plain">{kind}</span>}
      </h3>
      {detail && <p class="second small">{detail}</p>}
      {children}
    </article>
  );
}

function changedRow(item: GraphDiff['changed'][number]) {
  return (
    <Item key={item.id} item={item}>
      <dl class="fields">
        {item.changes.map((change) => (
          <FieldChange key={change.field} change={change} />
        ))}
      </dl>
    </Item>
  );
}

type Change = GraphDiff['changed'][number]['changes'][number];

function FieldChange({ change: { field, was, now, words: pieces } }: { change: Change }) {
  return (
    <>
      <dt>{words(field)}</dt>
      <dd class="text">
        {pieces ? (
          pieces.map(({ text, is }, index) => {
            if (is === 'added') return <ins key={index}>{text}</ins>;
            return is === 'removed' ? <del key={index}>{text}</del> : text;
          })
        ) : (
          <>
            <del>{textOf(was)}</del> <ins>{textOf(now)}</ins>
          </>
        )}
      </dd>
    </>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function verdictRow({ storyId, verdict, becomes, via }: GraphDiff['verdicts'][number]) {
  return (
    <p key={storyId} class="line change">
      <StatusIcon status={becomes === 'orphaned' ? 'uncovered' : 'suspect'} />
      <StoryLink id={storyId} />
      <span>
        was {verdict}, becomes {becomes}
      </span>
      {via !== storyId && (
        <span class="second">
          by <StoryLink id={via} />
        </span>
      )}
    </p>
  );
}
