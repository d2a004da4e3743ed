// A window on many entries: only the rows that are in sight, and a few around them, are elements.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { href, type Route } from '../../core/route.ts';
import type { LogEntry } from './answers.ts';

/** As the style sheet says. */
const ROW_PX = 28;
const AROUND = 15;
/** As many rows before the last one the next page is asked for. */
const AHEAD = 40;

interface WindowProps {
  route: Route;
  entries: readonly LogEntry[];
  /** How many of them came in front since the page was opened. */
  added: number;
  chosen: string | undefined;
  more: (() => void) | undefined;
}

export function Window({ route, entries, added, chosen, more }: WindowProps) {
  const element = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(900);
  const first = Math.max(0, Math.floor(top / ROW_PX) - AROUND);
  const end = Math.min(entries.length, Math.ceil((top + height) / ROW_PX) + AROUND);
  useEffect(() => {
    const measure = () => setHeight(element.current?.clientHeight ?? height);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  const before = useRef(added);
  useLayoutEffect(() => {
    const list = element.current;
    // Who reads further down is not moved by what comes above.
    if (list && list.scrollTop > 0) list.scrollTop += (added - before.current) * ROW_PX;
    before.current = added;
  }, [added]);
  const isNearEnd = end > entries.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) more?.();
  }, [isNearEnd, entries.length]);
  const query = Object.fromEntries(route.query);
  return (
    <section
      class="card log"
      aria-label="Entries"
      ref={element}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <ol style={{ height: `${entries.length * ROW_PX}px`, paddingTop: `${first * ROW_PX}px` }}>
        {entries.slice(first, end).map(({ id, at, level, source, message, occurrences }) => (
          <li key={id}>
            <a
              class={`entry ${level}`}
              href={href('logs', id, query)}
              aria-current={id === chosen ? 'true' : undefined}
              data-row
            >
              <span class="faint">{at.slice(5, 19).replace('T', ' ')}</span>
              <span class="level">{level}</span>
              <span class="source cut">{source}</span>
              <span class="cut">{message}</span>
              <span class="alike faint">{occurrences > 1 && `×${occurrences}`}</span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}
