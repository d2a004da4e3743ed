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
  try {
    return await work((stage, done, total) => {
      const now = performance.now();
      if (stage === shown && now - drawn < DRAWN_EVERY_MS) return;
      shown = stage;
      drawn = now;
      const percent = total > 0 ? Math.floor((100 * done) / total) : 0;
      terminal.write(`${CLEAR_LINE}${stage} ${percent} %`);
    });
  } finally {
    if (shown !== undefined) terminal.write(CLEAR_LINE);
  }
}
