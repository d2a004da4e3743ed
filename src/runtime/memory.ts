// Memory that the runtime gives back when it is asked to.

/**
 * Asks for what was read and written by now to be collected. Buffers of a long stream are small to
 * the collector, which does not see what they hold, so it would come to them late.
 */
export function collectBuffers(): void {
  (globalThis as { Bun?: { gc(now: boolean): void } }).Bun?.gc(false);
}

/** Collects what is no longer used, at once: between two steps that each need much memory. */
export function collectNow(): void {
  (globalThis as { Bun?: { gc(now: boolean): void } }).Bun?.gc(true);
}
