// A bar on a terminal that shows how far a long command is. It is drawn in one line of standard
// error, which is cleared when the command has ended.
import type { BackupStage } from '../operations/backup/manifest.ts';
import type { ImportStage } from '../requirements/import/progress.ts';

export type Stage = ImportStage | BackupStage;
export type OnProgress = (stage: Stage, done: number, total: number) => void;

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

const STAGES: Record<Stage, [label: string, from: number, to: number]> = {
  reading: ['reading files', 0, 0.1],
  parsing: ['parsing', 0.1, 0.7],
  graph: ['making the graph', 0.7, 0.8],
  audit: ['looking for findings', 0.8, 0.9],
  storing: ['storing', 0.9, 1],
  database: ['copying the database', 0, 0.2],
  checking: ['checking the database', 0.2, 0.3],
  files: ['storing files', 0.3, 0.8],
  verifying: ['reading', 0.8, 1],
};
const DRAWN_EVERY_MS = 50;
const WIDEST = 40;
const CLEAR_LINE = '\r\u001b[2K';
const USUAL_COLUMNS = 80;

/**
 * A bar on a terminal.
 *
 * @param terminal - where it is drawn
 * @returns undefined where none can be drawn
 */
export function openProgressBar(terminal: Terminal, quiet: boolean): ProgressBar | undefined {
  if (terminal.isTTY !== true || quiet || process.env.TERM === 'dumb') return undefined;
  let drawn = Number.NEGATIVE_INFINITY;
  let shown: Stage | undefined;
  let furthest = 0;
  return {
    show(stage, done, total) {
      const [label, from, to] = STAGES[stage];
      const part = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
      // Some stages go on side by side; a bar never goes back.
      furthest = Math.max(furthest, from + (to - from) * part);
      const now = performance.now();
      if (stage === shown && now - drawn < DRAWN_EVERY_MS) return;
      shown = stage;
      drawn = now;
      const line = lineOf(furthest, label, terminal.columns || USUAL_COLUMNS);
      terminal.write(`${CLEAR_LINE}${line}`);
    },
    end() {
      if (shown === undefined) return;
      shown = undefined;
      terminal.write(CLEAR_LINE);
    },
  };
}

function lineOf(share: number, label: string, columns: number): string {
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const width = Math.min(WIDEST, columns - percent.length - label.length - 6);
  if (width < 5) return `${percent} ${label}`.slice(0, Math.max(0, columns - 1));
  const full = Math.floor(width * share);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${percent}  ${label}`;
}
