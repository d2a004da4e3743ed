// The grid: it draws the lines and columns that are in view, and takes lines that left it for others.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out what is not in view
// biome-ignore-all lint/a11y/useFocusableInteractive: the cells of a grid have the focus
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { counted } from '../../core/format.ts';
import { go, href } from '../../core/route.ts';
import { Refused } from '../../parts/states.tsx';
import { Chosen } from './chosen.tsx';
import type { View } from './filters.ts';
import { addressOfColumn, GridHead } from './head.tsx';
import { FIRST, GridLine } from './line.tsx';
import type { Lines } from './lines.ts';
import { LINE_HEIGHT, leftOf, type Shape, shapeOf } from './shape.ts';
import type { Tiles } from './tiles.ts';

interface GridProps {
  view: View;
  tiles: Tiles;
  lines: Lines;
  /** Of what is shown: who comes back finds it where it was. */
  name: string;
}

interface Place {
  /** -1 is the line of the column headers. */
  line: number;
  at: number;
}

interface Span {
  lineFrom: number;
  lineTo: number;
  columnFrom: number;
  columnTo: number;
}

const OVERSCAN = 4;
const places = new Map<string, { top: number; left: number; active: Place }>();

export function Grid({ view, tiles, lines, name }: GridProps) {
  const { columns } = tiles.first.totals;
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [width, setWidth] = useState(innerWidth);
  const shape = useMemo(() => shapeOf(view, width), [view, width]);
  const [span, setSpan] = useState<Span>({ lineFrom: 0, lineTo: 0, columnFrom: 0, columnTo: 0 });
  const [active, setActive] = useState<Place>(places.get(name)?.active ?? { line: 0, at: 0 });
  const byKey = useRef(false);

  const measure = () => {
    const element = scroller.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const next = spanOf(element, shape, lines.count, columns);
    setSpan((last) => (JSON.stringify(last) === JSON.stringify(next) ? last : next));
  };
  useLayoutEffect(() => {
    tiles.changed = () => redraw(undefined);
    const element = scroller.current;
    const last = places.get(name);
    if (element && last) element.scrollTo(last.left, last.top);
    const sizes = new ResizeObserver(measure);
    if (element) sizes.observe(element);
    return () => {
      sizes.disconnect();
      tiles.changed = () => {};
    };
  }, [tiles]);
  useLayoutEffect(measure, [shape, tiles]);
  useEffect(() => {
    const { lineFrom, lineTo, columnFrom, columnTo } = span;
    tiles.want({
      rowFrom: lines.rowFrom(lineFrom),
      rowTo: lines.rowFrom(lineTo),
      columnFrom,
      columnTo,
    });
  }, [span, tiles]);
  useLayoutEffect(() => {
    if (!byKey.current) return;
    byKey.current = false;
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [active]);
  useEffect(
    () => () => {
      const { scrollTop = 0, scrollLeft = 0 } = scroller.current ?? {};
      places.set(name, { top: scrollTop, left: scrollLeft, active: latest.current });
    },
    [name],
  );
  const latest = useRef(active);
  latest.current = active;

  const moveTo = (next: Place) => {
    byKey.current = true;
    // Scrolled at once, so that the cell and what comes into view with it are drawn together.
    if (scroller.current) bringIntoView(scroller.current, shape, next);
    measure();
    setActive(next);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      const address = addressAt(active, tiles, lines);
      if (!address) return;
      event.preventDefault();
      go(address);
      return;
    }
    const page = Math.floor(((scroller.current?.clientHeight ?? 0) - shape.head) / LINE_HEIGHT) - 1;
    const next = stepOf(event, active, { page, lines: lines.count, places: columns + FIRST });
    if (!next) return;
    event.preventDefault();
    moveTo(next);
  };
  const choose = ({ target }: MouseEvent) => {
    const cell = (target as Element).closest<HTMLElement>('[data-at]');
    const line = cell?.closest<HTMLElement>('[data-line]')?.dataset.line;
    if (!cell || line === undefined) return;
    moveTo({ line: Number(line), at: Number(cell.dataset.at) });
  };

  const drawn = (line: number) => {
    const found = lines.at(line);
    const row = 'row' in found ? found.row : -1;
    return {
      line,
      row: tiles.rows.get(row),
      document: 'document' in found ? found.document : undefined,
      cells: tiles.cellsOf(row),
      columnFrom: span.columnFrom,
      columnTo: span.columnTo,
      active: line === active.line ? active.at : -1,
      shape,
    };
  };
  const size = span.lineTo - span.lineFrom;
  // In the order of their elements, so that none is moved: each takes the next line of its place.
  const shown = Array.from({ length: size }, (_, at) => {
    const first = span.lineFrom + ((at - (span.lineFrom % size) + size) % size);
    return { slot: at, line: first };
  });
  return (
    <>
      {tiles.problem && <Refused problem={tiles.problem} retry={() => tiles.retry()} />}
      <div
        ref={scroller}
        class={`matrix of-${view}`}
        role="grid"
        tabIndex={-1}
        aria-label="Requirements and what shows that they hold"
        aria-rowcount={lines.count + 1}
        aria-colcount={columns + FIRST}
        style={variablesOf(shape)}
        onScroll={measure}
        onKeyDown={press}
        onClick={choose}
      >
        <div
          class="canvas"
          style={{
            width: `${leftOf(shape, columns) + shape.head / 2}px`,
            height: `${shape.head + lines.count * LINE_HEIGHT}px`,
          }}
        >
          <GridHead
            tiles={tiles}
            known={tiles.columns.size}
            shape={shape}
            columnFrom={span.columnFrom}
            columnTo={span.columnTo}
            active={active.line === -1 ? active.at : -1}
          />
          {shown
            .filter(({ line }) => line !== active.line)
            .map(({ slot, line }) => (
              <GridLine key={slot} {...drawn(line)} />
            ))}
          {active.line >= 0 && <GridLine key={`at ${active.line}`} {...drawn(active.line)} />}
        </div>
      </div>
      <Chosen
        line={active.line < 0 ? undefined : lines.at(active.line)}
        at={active.at}
        tiles={tiles}
      />
      <p class="hidden">
        {counted(tiles.first.totals.rows, 'row')}, {counted(columns, 'column')}
      </p>
    </>
  );
}

function variablesOf({ head, name, total, column }: Shape) {
  return {
    '--head': `${head}px`,
    '--name': `${name}px`,
    '--total': `${total}px`,
    '--column': `${column}px`,
  };
}

function spanOf(element: HTMLElement, shape: Shape, lines: number, columns: number): Span {
  const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
  const first = Math.floor(scrollTop / LINE_HEIGHT) - OVERSCAN;
  const last = Math.ceil((scrollTop + clientHeight - shape.head) / LINE_HEIGHT) + OVERSCAN;
  const left = Math.floor(scrollLeft / shape.column) - OVERSCAN;
  const right = Math.ceil((scrollLeft + clientWidth - shape.sticky) / shape.column) + OVERSCAN;
  return {
    lineFrom: Math.max(0, first),
    lineTo: Math.min(lines, last),
    columnFrom: Math.max(0, left),
    columnTo: Math.min(columns, right),
  };
}

function bringIntoView(element: HTMLElement, shape: Shape, { line, at }: Place): void {
  const top = line * LINE_HEIGHT;
  const bottom = shape.head + top + LINE_HEIGHT - element.clientHeight;
  if (line >= 0) {
    if (element.scrollTop > top) element.scrollTop = top;
    else if (element.scrollTop < bottom) element.scrollTop = bottom;
  }
  if (at < FIRST) return;
  const left = leftOf(shape, at - FIRST);
  if (element.scrollLeft > left - shape.sticky) element.scrollLeft = left - shape.sticky;
  const right = left + shape.column - element.clientWidth;
  if (element.scrollLeft < right) element.scrollLeft = right;
}

interface Bounds {
  page: number;
  lines: number;
  places: number;
}

/** Where a key leads (ARIA Authoring Practices, grid); undefined for keys of others. */
function stepOf(event: KeyboardEvent, { line, at }: Place, bounds: Bounds): Place | undefined {
  const whole = event.ctrlKey || event.metaKey;
  const end = bounds.places - 1;
  const steps: Record<string, Place> = {
    ArrowUp: { line: line - 1, at },
    ArrowDown: { line: line + 1, at },
    ArrowLeft: { line, at: at - 1 },
    ArrowRight: { line, at: at + 1 },
    PageUp: { line: Math.max(0, line - bounds.page), at },
    PageDown: { line: line + bounds.page, at },
    Home: { line: whole ? 0 : line, at: 0 },
    End: { line: whole ? bounds.lines - 1 : line, at: end },
  };
  const next = steps[event.key];
  if (!next || event.altKey) return undefined;
  return {
    line: Math.max(-1, Math.min(bounds.lines - 1, next.line)),
    at: Math.max(0, Math.min(end, next.at)),
  };
}

function addressAt({ line, at }: Place, tiles: Tiles, lines: Lines): string | undefined {
  if (line < 0) {
    const column = tiles.columns.get(at - FIRST);
    return column && addressOfColumn(column);
  }
  const found = lines.at(line);
  const id = 'row' in found ? tiles.rows.get(found.row)?.storyId : found.document.id;
  return id ? href('requirements', id) : undefined;
}
