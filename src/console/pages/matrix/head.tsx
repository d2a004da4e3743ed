// The line of the column headers: each names what it is of, and how that went in all.
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot leave out what is not in view
// biome-ignore-all lint/a11y/useFocusableInteractive: the cells of a grid have the focus
import { Component } from 'preact';
import { counted, testName } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import type { Column } from './filters.ts';
import { FIRST, HEADER, isChanged, TOTAL } from './line.tsx';
import { countsText, Total } from './outcomes.tsx';
import { leftOf, type Shape } from './shape.ts';
import type { Tiles } from './tiles.ts';

interface HeadProps {
  tiles: Tiles;
  /** How many columns are known. */
  known: number;
  shape: Shape;
  columnFrom: number;
  columnTo: number;
  /** The place of the cell that has the grid's tab stop; -1 where it is in another line. */
  active: number;
}

const NOUNS: Partial<Record<Column['kind'], string>> = { suite: 'suite', document: 'document' };

export class GridHead extends Component<HeadProps> {
  override shouldComponentUpdate(next: HeadProps) {
    return isChanged(this.props, next);
  }

  render() {
    const { tiles, shape, columnFrom, columnTo, active } = this.props;
    const { rows, columns } = tiles.first.totals;
    const noun = NOUNS[tiles.columns.get(0)?.kind ?? 'test'] ?? 'test';
    const places = Array.from({ length: columnTo - columnFrom }, (_, at) => columnFrom + at);
    if (active >= FIRST && !places.includes(active - FIRST)) places.push(active - FIRST);
    return (
      <div role="row" class="line names" aria-rowindex={1} data-line={-1}>
        <div
          role="columnheader"
          class="name"
          aria-colindex={1}
          data-at={HEADER}
          tabIndex={active === HEADER ? 0 : -1}
        >
          <span>
            <b>{counted(rows, 'requirement')}</b>
            <small>{counted(columns, noun)}</small>
          </span>
        </div>
        <div
          role="columnheader"
          class="total"
          aria-colindex={2}
          data-at={TOTAL}
          tabIndex={active === TOTAL ? 0 : -1}
        >
          all
        </div>
        {places.map((place) => {
          const column = tiles.columns.get(place);
          return (
            <div
              key={place}
              role="columnheader"
              class="column"
              aria-colindex={place + FIRST + 1}
              data-at={place + FIRST}
              tabIndex={active === place + FIRST ? 0 : -1}
              style={{ left: `${leftOf(shape, place)}px` }}
            >
              {column && <ColumnName column={column} />}
            </div>
          );
        })}
      </div>
    );
  }
}

function ColumnName({ column }: { column: Column }) {
  const address = addressOfColumn(column);
  const name = nameOfColumn(column);
  const title = [column.name ?? name, countsText(column.counts)].join('\n');
  return (
    <>
      {address ? (
        <a class="slanted" href={address} title={title} tabIndex={-1}>
          {name}
        </a>
      ) : (
        <span class="slanted" title={title}>
          {name}
        </span>
      )}
      <em>
        <Total counts={column.counts} />
      </em>
    </>
  );
}

const LONGEST = 26;

/** What tells it from the others: of a test its own name, of a file the end of its path. */
export function nameOfColumn({ kind, name }: Column): string {
  if (name === null) return kind === 'document' ? 'in no document' : 'in no suite';
  const own = kind === 'test' ? testName(name) : name;
  if (own.length <= LONGEST) return own;
  return kind === 'suite' ? `…${own.slice(1 - LONGEST)}` : `${own.slice(0, LONGEST - 1)}…`;
}

export function addressOfColumn({ kind, id }: Column): string | undefined {
  if (id === null) return undefined;
  const page = { test: 'tests', command: 'plan', document: 'requirements' }[kind as string];
  return page && href(page, id);
}
