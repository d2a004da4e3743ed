// A bar on a terminal that shows how far a long command is. It is drawn in one line of standard
// error, which is cleared when the command has ended.
import type { BackupStage } from '../operations/backup/progress.ts';
import type { ImportStage } from '../requirements/import/progress.ts';

/** A stage of a long command. */
export type Stage = ImportStage | BackupStage;
/** Is told how far a stage has come. */
export type OnProgress = (stage: Stage, done: number, total: number) => void;

/** What the bar is drawn on: standard error, or a stand-in. */
export interface Terminal {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** Draws how far a stage is, at most so often as an eye can follow. */
  show: OnProgress;
  /** Clears the line. May be called again. */
  end(): void;
}

/** The share of the whole that each stage begins and ends at: what it takes of the time. */
const SHARES: Record<Stage, [from: number, to: number]> = {
  reading: [0, 0.1],
  parsing: [0.1, 0.7],
  graph: [0.7, 0.8],
  audit: [0.8, 0.9],
  storing: [0.9, 1],
  database: [0, 0.2],
  checking: [0.2, 0.3],
  files: [0.3, 0.8],
  verifying: [0.8, 1],
};
const SAYS: Record<Stage, string> = {
  reading: 'reading files',
  parsing: 'parsing',
  graph: 'making the graph',
  audit: 'looking for findings',
  storing: 'storing',
  database: 'copying the database',
  checking: 'checking the database',
  files: 'storing files',
  verifying: 'reading',
};
const DRAWN_EVERY_MS = 50;
const WIDEST = 40;
/** Of a terminal that tells none, or 0 as serial lines and pseudo terminals without a size do. */
const USUAL_COLUMNS = 80;

/**
 * A bar on a terminal.
 *
 * @param terminal - where it is drawn
 * @param dumb - whether the terminal cannot go back in a line, or nobody looks at it
 * @returns undefined where none can be drawn
 */
export function openProgressBar(terminal: Terminal, dumb: boolean): ProgressBar | undefined {
  if (terminal.isTTY !== true || dumb) return undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  let shown: Stage | undefined;
  let furthest = 0;
  return {
    show(stage, done, total) {
      const [from, to] = SHARES[stage];
      const part = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
      // Some stages go on side by side; a bar never goes back.
      furthest = Math.max(furthest, from + (to - from) * part);
      const now = performance.now();
      if (stage === shown && now - drawn < DRAWN_EVERY_MS) return;
      shown = stage;
      drawn = now;
      terminal.write(
        `\r\u001b[2K${lineOf(furthest, SAYS[stage], terminal.columns || USUAL_COLUMNS)}`,
      );
    },
    end() {
      if (shown === undefined) return;
      shown = undefined;
      terminal.write('\r\u001b[2K');
    },
  };
}

/** The bar, the percentage and what goes on, in no more columns than there are. */
function lineOf(share: number, says: string, columns: number): string {
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const width = Math.min(WIDEST, columns - percent.length - says.length - 6);
  if (width < 5) return `${percent} ${says}`.slice(0, Math.max(0, columns - 1));
  const full = Math.floor(width * share);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${percent}  ${says}`;
}
