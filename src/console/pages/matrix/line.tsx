// A line of the grid: a requirement with its cells, or the heading of a document. Only cells that hold
// something are there, and the one that has the focus; `aria-colindex` says where they stand.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out what is not in view
// biome-ignore-all lint/a11y/useFocusableInteractive: the cells of a grid have the focus
import { Component } from 'preact';
import { counted } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { StatusIcon } from '../../parts/status.tsx';
import type { Counts, DocumentRows, StoryRow } from './filters.ts';
import { countsText, Marks, Total } from './outcomes.tsx';
import { LINE_HEIGHT, leftOf, type Shape } from './shape.ts';

/** The places of cells in a line: the requirement, its total, then the columns. */
export const HEADER = 0;
export const TOTAL = 1;
export const FIRST = 2;

interface LineProps {
  line: number;
  row: StoryRow | undefined;
  document: DocumentRows | undefined;
  cells: ReadonlyMap<number, Counts>;
  columnFrom: number;
  columnTo: number;
  /** The place of the cell that has the grid's tab stop; -1 where it is in another line. */
  active: number;
  shape: Shape;
}

export class GridLine extends Component<LineProps> {
  // Most lines stay as they are while others come into view.
  override shouldComponentUpdate(next: LineProps) {
    return isChanged(this.props, next);
  }

  render() {
    const { line, row, document, shape } = this.props;
    return (
      <div
        role="row"
        class={document ? 'line heading' : 'line'}
        aria-rowindex={line + 2}
        data-line={line}
        style={{ top: `${shape.head + line * LINE_HEIGHT}px` }}
      >
        {document ? this.heading(document) : this.header(row)}
        {!document && this.total(row)}
        {!document && this.cells()}
      </div>
    );
  }

  heading({ id, title, rows }: DocumentRows) {
    const { active } = this.props;
    return (
      <div
        role="rowheader"
        class="name"
        aria-colindex={1}
        tabIndex={active < 0 ? -1 : 0}
        data-at={0}
      >
        {id ? (
          <a class="cut" href={href('requirements', id)} tabIndex={-1}>
            {title ?? id}
          </a>
        ) : (
          <span class="cut">In no document</span>
        )}
        <span class="faint number" title={counted(rows, 'requirement')}>
          {rows}
        </span>
      </div>
    );
  }

  header(row: StoryRow | undefined) {
    return (
      <div
        role="rowheader"
        class="name"
        aria-colindex={1}
        tabIndex={this.tabIndexOf(HEADER)}
        data-at={HEADER}
      >
        {row ? (
          <>
            <StatusIcon status={row.status} />
            <span class="mono faint wide-only">{row.storyId}</span>
            <a class="cut" href={href('requirements', row.storyId)} tabIndex={-1} title={row.title}>
              {row.title}
            </a>
          </>
        ) : (
          <span class="faint">…</span>
        )}
      </div>
    );
  }

  total(row: StoryRow | undefined) {
    return (
      <div
        role="gridcell"
        class="total number"
        aria-colindex={2}
        tabIndex={this.tabIndexOf(TOTAL)}
        data-at={TOTAL}
        title={row && countsText(row.counts)}
      >
        {row && <RowTotal row={row} />}
      </div>
    );
  }

  cells() {
    const { cells, columnFrom, columnTo, active } = this.props;
    const shown = [...cells].filter(([column]) => column >= columnFrom && column < columnTo);
    const column = active - FIRST;
    const isShown = column < 0 || shown.some(([one]) => one === column);
    if (!isShown) shown.push([column, cells.get(column) ?? {}]);
    // Elements are taken for other columns, but never the one that has the focus.
    return shown.map((cell, at) => this.cell(cell, active < 0 ? at : cell[0]));
  }

  cell([column, counts]: [number, Counts], key: number) {
    const { shape } = this.props;
    const text = countsText(counts) || 'nothing';
    return (
      <div
        key={key}
        role="gridcell"
        class="cell"
        aria-colindex={column + FIRST + 1}
        aria-label={text}
        title={text}
        tabIndex={this.tabIndexOf(column + FIRST)}
        data-at={column + FIRST}
        style={{ left: `${leftOf(shape, column)}px` }}
      >
        <Marks counts={counts} room={shape.room} />
      </div>
    );
  }

  tabIndexOf(at: number) {
    return this.props.active === at ? 0 : -1;
  }
}

export function isChanged<P extends object>(props: P, next: P): boolean {
  return (Object.keys(next) as (keyof P)[]).some((name) => next[name] !== props[name]);
}

function RowTotal({ row: { counts, inherited, status } }: { row: StoryRow }) {
  if (Object.keys(counts).length > 0) return <Total counts={counts} />;
  if (inherited) return <span class="faint">parts</span>;
  if (status === 'uncovered') return <span class="none">none</span>;
  return <span class="faint">{status === 'justified' ? 'reason' : 'none'}</span>;
}
