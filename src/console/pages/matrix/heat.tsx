// The statuses of all requirements, by document. Only the documents in view have their cells.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { href } from '../../core/route.ts';
import { More, Refused } from '../../parts/states.tsx';
import { LETTER } from '../../parts/status.tsx';
import type { DocumentRows, StoryRow } from './filters.ts';
import type { Tiles } from './tiles.ts';

/** Of a document; its link leads to the others. */
const MAX_CELLS = 90;
/** As many documents are shown at once. */
const CARDS = 60;
const CELLS_IN_LINE = 11;
const CELL_LINE = 26;

export function Heat({ tiles, documents }: { tiles: Tiles; documents: readonly DocumentRows[] }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [shown, setShown] = useState(CARDS);
  const inView = useRef(new Set<DocumentRows>());
  useEffect(() => {
    tiles.changed = () => redraw(undefined);
    return () => {
      tiles.changed = () => {};
    };
  }, [tiles]);
  const seen = (document: DocumentRows, isSeen: boolean) => {
    if (isSeen) inView.current.add(document);
    else inView.current.delete(document);
    const seenNow = [...inView.current];
    tiles.want({
      rowFrom: Math.min(...seenNow.map(({ rowFrom }) => rowFrom)),
      rowTo: Math.max(...seenNow.map(({ rowFrom, rows }) => rowFrom + Math.min(rows, MAX_CELLS))),
      columnFrom: 0,
      columnTo: 1,
    });
  };
  return (
    <>
      {tiles.problem && <Refused problem={tiles.problem} retry={() => tiles.retry()} />}
      <div class="heat">
        {documents.slice(0, shown).map((document) => (
          <DocumentCard key={document.rowFrom} document={document} tiles={tiles} seen={seen} />
        ))}
      </div>
      <More more={shown < documents.length ? () => setShown(shown + CARDS) : undefined} />
    </>
  );
}

interface CardProps {
  document: DocumentRows;
  tiles: Tiles;
  seen(document: DocumentRows, isSeen: boolean): void;
}

function DocumentCard({ document, tiles, seen }: CardProps) {
  const { id, title, rowFrom, rows } = document;
  const card = useRef<HTMLElement>(null);
  const height = useRef(Math.ceil(Math.min(rows, MAX_CELLS) / CELLS_IN_LINE) * CELL_LINE);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        const now = entry?.isIntersecting ?? false;
        if (!now) height.current = element.querySelector('.cells')?.clientHeight ?? height.current;
        setSeen(now);
        seen(document, now);
      },
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [document]);
  const shown = Array.from({ length: Math.min(rows, MAX_CELLS) }, (_, at) =>
    tiles.rows.get(rowFrom + at),
  );
  return (
    <section class="card" ref={card}>
      <header>
        <h2 class="cut">
          {id ? <a href={href('requirements', id)}>{title ?? id}</a> : 'In no document'}
        </h2>
        <div class="aside">
          <a href={href('matrix', [], { root: id })}>{rows}</a>
        </div>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows go through its links */}
      <div class="cells" style={{ minHeight: `${height.current}px` }} onKeyDown={stepThrough}>
        {isSeen &&
          shown.map((row, at) => row && <Cell key={row.storyId} row={row} first={at === 0} />)}
      </div>
      {rows > MAX_CELLS && (
        <p class="inside small">
          <a class="link" href={href('matrix', [], { root: id })}>
            and {rows - MAX_CELLS} more
          </a>
        </p>
      )}
    </section>
  );
}

function Cell({
  row: { storyId, title, status, inherited },
  first,
}: {
  row: StoryRow;
  first: boolean;
}) {
  const text = `${storyId} ${status}${inherited ? ', by its parts' : ''}`;
  return (
    <a
      class={`${status} ${status === 'uncovered' || status === 'unexecuted' ? 'hollow' : ''}`}
      href={href('requirements', storyId)}
      title={`${text}\n${title}`}
      aria-label={text}
      tabIndex={first ? 0 : -1}
      data-row
    >
      {LETTER[status]}
    </a>
  );
}

function stepThrough(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const next = {
    ArrowRight: target.nextElementSibling,
    ArrowLeft: target.previousElementSibling,
  }[event.key];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
