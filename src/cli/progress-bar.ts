// How far a long command is: a line of standard error on a terminal, which is cleared when the command has
// ended.
import type { BackupStage } from '../operations/backup/manifest.ts';
import type { ImportStage } from '../requirements/import/progress.ts';

export type Stage = ImportStage | BackupStage;
export type OnProgress = (stage: Stage, done: number, total: number) => void;

export interface Terminal {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
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
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of some work while it lasts; with `quiet`, and where there is no terminal, nothing. */
export async function withProgress<T>(
  terminal: Terminal,
  quiet: boolean,
  work: (onProgress: OnProgress | undefined) => Promise<T>,
): Promise<T> {
  if (terminal.isTTY !== true || quiet || process.env.TERM === 'dumb') return work(undefined);
  let drawn = Number.NEGATIVE_INFINITY;
  let shown: Stage | undefined;
  let furthest = 0;
  try {
    return await work((stage, done, total) => {
      const [label, from, to] = STAGES[stage];
      const part = total > 0 ? Math.min(1, done / total) : 0;
      // Some stages go on side by side.
      furthest = Math.max(furthest, from + (to - from) * part);
      const now = performance.now();
      if (stage === shown && now - drawn < DRAWN_EVERY_MS) return;
      shown = stage;
      drawn = now;
      terminal.write(`${CLEAR_LINE}${Math.floor(furthest * 100)} %  ${label}`);
    });
  } finally {
    if (shown !== undefined) terminal.write(CLEAR_LINE);
  }
}
