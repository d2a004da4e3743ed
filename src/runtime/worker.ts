// Workers, whose files the executable carries as further entry points, and memory between their steps.
import { setPriority } from 'node:os';

const NICE = 5;

/**
 * Starts a worker.
 * @param path - of its file within `src`, such as `requirements/import/worker.ts`
 * @param options - `small`: what it works with at a time is little, so it is to collect often, where
 *   the runtime knows how
 */
export function startWorker(path: string, { small = false } = {}): Worker {
  // In the executable every module has the address of the entry point, in source its own.
  const compiled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN');
  const src = new URL(compiled ? './' : '../', import.meta.url);
  const options: WorkerOptions & { smol: boolean } = { type: 'module', smol: small };
  return new Worker(new URL(path, src).href, options);
}

/**
 * Lets other threads go first from now on, where the system has priorities of threads: what a worker
 * does may take its time, and requests may not.
 */
export function yieldToOthers(nice = NICE): void {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(nice);
  } catch {
    // A system that forbids it is one on which nobody waits for this.
  }
}

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
