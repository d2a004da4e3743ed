// How far an import has come, for whoever shows it.

export const IMPORT_STAGES = ['reading', 'parsing', 'graph', 'audit', 'storing'] as const;
export type ImportStage = (typeof IMPORT_STAGES)[number];

/** @param done - of `total`: bytes of files that are read and parsed, steps otherwise */
export type OnProgress = (stage: ImportStage, done: number, total: number) => void;

/** The same, called at most every so many milliseconds; at the beginning of a stage always. */
export function seldom(onProgress: OnProgress, everyMs = 40): OnProgress {
  let stage: ImportStage | undefined;
  let last = 0;
  return (now, done, total) => {
    const at = performance.now();
    if (now === stage && at - last < everyMs) return;
    stage = now;
    last = at;
    onProgress(now, done, total);
  };
}
