// How far an import has come, told now and then to whoever shows it.

/** What an import does, one after the other; the sources are put on disk beside the rest. */
export const IMPORT_STAGES = ['reading', 'parsing', 'graph', 'audit', 'storing'] as const;
export type ImportStage = (typeof IMPORT_STAGES)[number];

/**
 * Is told how far a stage has come.
 *
 * @param done - of `total`: bytes of files that are being read and parsed, steps otherwise
 */
export type OnProgress = (stage: ImportStage, done: number, total: number) => void;

const EVERY_MS = 40;

/** The same, told at most so often; the beginning of a stage always. */
export function seldom(onProgress: OnProgress, everyMs = EVERY_MS): OnProgress {
  let stage: ImportStage | undefined;
  let told = 0;
  return (now, done, total) => {
    const at = performance.now();
    if (now === stage && at - told < everyMs) return;
    stage = now;
    told = at;
    onProgress(now, done, total);
  };
}

/**
 * Files that tell when they are begun: a reader asks for the bytes of each in turn, and needs to
 * know nothing of it. The bytes of all files asked for before are done by then.
 */
export function watchFiles<F extends { bytes: Uint8Array }>(
  files: readonly F[],
  onProgress: OnProgress | undefined,
): readonly F[] {
  if (onProgress === undefined) return files;
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  let before = 0;
  onProgress('parsing', 0, total);
  return files.map((file) => {
    let begun = false;
    return Object.defineProperty({ ...file }, 'bytes', {
      enumerable: true,
      get() {
        if (!begun) {
          begun = true;
          onProgress('parsing', before, total);
          before += file.bytes.byteLength;
        }
        return file.bytes;
      },
    });
  });
}
