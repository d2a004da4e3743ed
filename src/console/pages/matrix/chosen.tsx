// The cell that was chosen, in words: for those who cannot hover, and with links to both of its sides.
import { href } from '../../core/route.ts';
import { StatusTag } from '../../parts/status.tsx';
import { addressOfColumn, nameOfColumn } from './head.tsx';
import { FIRST } from './line.tsx';
import type { Line } from './lines.ts';
import { countsText } from './outcomes.tsx';
import type { Tiles } from './tiles.ts';

export function Chosen({ line, at, tiles }: { line: Line | undefined; at: number; tiles: Tiles }) {
  const row = line && 'row' in line ? tiles.rows.get(line.row) : undefined;
  if (!row || !line || !('row' in line)) return <p class="chosen small faint">&nbsp;</p>;
  const column = tiles.columns.get(at - FIRST);
  const counts = column ? (tiles.cellsOf(line.row).get(at - FIRST) ?? {}) : row.counts;
  const address = column && addressOfColumn(column);
  return (
    <p class="chosen line small">
      <StatusTag status={row.status} />
      <a class="link" href={href('requirements', row.storyId)}>
        {row.storyId}
      </a>
      {column && (
        <>
          <span class="faint">by</span>
          {address ? (
            <a class="link" href={address}>
              {nameOfColumn(column)}
            </a>
          ) : (
            <span>{nameOfColumn(column)}</span>
          )}
        </>
      )}
      <span class="second">{countsText(counts) || 'nothing'}</span>
    </p>
  );
}
