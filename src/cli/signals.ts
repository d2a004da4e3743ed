// The signals that ask a process to end.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal, and who starts us, may both pass on what was one request. */
const HASTE_AFTER_MS = 1000;

/**
 * Listens for them.
 *
 * @param onAsked - called the first time
 * @param onHaste - called when somebody asks once more
 * @returns ends the listening
 */
export function listenForStop(onAsked: () => void, onHaste: () => void): () => void {
  let askedAt: number | undefined;
  function ask(): void {
    if (askedAt === undefined) {
      askedAt = performance.now();
      onAsked();
    } else if (performance.now() - askedAt > HASTE_AFTER_MS) onHaste();
  }
  for (const signal of SIGNALS) process.on(signal, ask);
  return () => {
    for (const signal of SIGNALS) process.off(signal, ask);
  };
}
