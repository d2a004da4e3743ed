// What pages are made of: a heading, cards, segments, chips, a bar of figures.
import type { ComponentChildren } from 'preact';
import { grouped } from '../core/format.ts';
import { LETTER, MEANING, STATUSES, type Status, StatusIcon } from './status.tsx';

interface HeadProps {
  title: ComponentChildren;
  /** Where the page lies below another one. */
  parent?: { title: string; address: string };
  sub?: ComponentChildren;
  children?: ComponentChildren;
}

/** The first line of a page; what is inside stands on its right. */
export function PageHead({ title, parent, sub, children }: HeadProps) {
  return (
    <header class="page-head">
      {parent && (
        <span class="parent">
          <a href={parent.address}>{parent.title}</a>
        </span>
      )}
      <h1 tabIndex={-1}>{title}</h1>
      {sub && <span class="sub">{sub}</span>}
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

interface CardProps {
  title: string;
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Card({ title, aside, class: name = '', children }: CardProps) {
  return (
    <section class={`card ${name}`}>
      <header>
        <h2>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

interface Choice {
  name: string;
  address: string;
  current: boolean;
}

/** One of a few views; each has an address. */
export function Segments({ label, choices }: { label: string; choices: Choice[] }) {
  return (
    <nav class="segments" aria-label={label}>
      {choices.map(({ name, address, current }) => (
        <a key={name} href={address} aria-current={current ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export interface ChipProps {
  address: string;
  pressed: boolean;
  status?: Status;
  count?: number;
  children: ComponentChildren;
}

/** A filter that is on or off, by its address. */
export function Chip({ address, pressed, status, count, children }: ChipProps) {
  return (
    <a class={`chip ${status ?? ''}`} href={address} aria-current={pressed ? 'true' : undefined}>
      {status && <StatusIcon status={status} size="small" />}
      {children}
      {count !== undefined && <span class="count">{grouped(count)}</span>}
    </a>
  );
}

type Counts = Partial<Record<Status, number>>;

/** The statuses of many stories as one bar; with `addressOf`, each is a link to its stories. */
export function StatusBar({
  counts,
  addressOf,
}: {
  counts: Counts;
  addressOf(status: Status): string;
}) {
  const shown = STATUSES.filter((status) => counts[status]);
  return (
    <div class="status-bar">
      {shown.map((status) => {
        const count = counts[status] ?? 0;
        return (
          <a
            key={status}
            class={status}
            href={addressOf(status)}
            style={{ flexGrow: count }}
            title={`${count} ${status}: ${MEANING[status]}`}
            aria-label={`${count} ${status}`}
          >
            {count > 14 ? count : LETTER[status]}
          </a>
        );
      })}
    </div>
  );
}

/** The same in small, beside a name; it says nothing that is not said elsewhere. */
export function SmallStatusBar({ counts }: { counts: Counts }) {
  return (
    <span class="small-status-bar" aria-hidden="true">
      {STATUSES.filter((status) => counts[status]).map((status) => (
        <i key={status} class={status} style={{ flexGrow: counts[status] ?? 0 }} />
      ))}
    </span>
  );
}

export function Progress({ done, total, name }: { done: number; total: number; name: string }) {
  return <progress class="progress" value={done} max={Math.max(total, 1)} aria-label={name} />;
}
