// The matrix on paper: a line for each requirement, with how its tests went in words.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { StatusIcon } from '../../parts/status.tsx';
import { type DocumentRows, TILE } from './filters.ts';
import { countsText } from './outcomes.tsx';
import type { Tiles } from './tiles.ts';

/** What is more than this nobody reads on paper: the CSV has all. */
const MAX_ROWS = 2000;

/** Asks for what is not there yet of the rows that are printed. */
export async function loadForPrint(tiles: Tiles): Promise<void> {
  const rows = Math.min(tiles.first.totals.rows, MAX_ROWS);
  for (let at = 0; at * TILE < rows; at += 1) await tiles.load(at, 0);
}

/** Lays out the rows that are there when the browser prints, whatever made it print. */
export function usePrint(tiles: Tiles | undefined): void {
  useEffect(() => {
    const place = document.createElement('div');
    const show = () => {
      document.querySelector('main')?.append(place);
      if (tiles) render(<Printed tiles={tiles} />, place);
    };
    const hide = () => {
      render(null, place);
      place.remove();
    };
    addEventListener('beforeprint', show);
    addEventListener('afterprint', hide);
    return () => {
      removeEventListener('beforeprint', show);
      removeEventListener('afterprint', hide);
      hide();
    };
  }, [tiles]);
}

function Printed({ tiles }: { tiles: Tiles }) {
  const { documents = [], totals } = tiles.first;
  const left = totals.rows - Math.min(tiles.rows.size, MAX_ROWS);
  return (
    <div class="print-only printed">
      {documents.map((one) => (
        <PrintedDocument key={one.rowFrom} document={one} tiles={tiles} />
      ))}
      {left > 0 && <p>{left} more are not printed.</p>}
    </div>
  );
}

function PrintedDocument({ document, tiles }: { document: DocumentRows; tiles: Tiles }) {
  const { rowFrom, rows, title, id } = document;
  const end = Math.min(rowFrom + rows, MAX_ROWS);
  const places = Array.from({ length: Math.max(0, end - rowFrom) }, (_, at) => rowFrom + at);
  const shown = places.flatMap((place) => tiles.rows.get(place) ?? []);
  if (shown.length === 0) return null;
  return (
    <table>
      <caption>
        {title ?? id ?? 'In no document'} ({rows})
      </caption>
      <tbody>
        {shown.map(({ storyId, title: name, status, inherited, counts }) => (
          <tr key={storyId}>
            <th scope="row">{storyId}</th>
            <td>{name}</td>
            <td>
              <StatusIcon status={status} size="small" /> {status}
              {inherited && ', by its parts'}
            </td>
            <td>{countsText(counts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
