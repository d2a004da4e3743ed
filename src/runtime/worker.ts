// Workers, whose files the executable carries as further entry points.
import { setPriority } from 'node:os';

/** Of 19, the least urgent. */
const NICE = 5;

/**
 * Starts a worker.
 *
 * @param path - of its file within `src`, such as `requirements/import/worker.ts`
 */
export function startWorker(path: string): Worker {
  // In the executable every module has the address of the entry point, in source its own.
  const compiled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN');
  const src = new URL(compiled ? './' : '../', import.meta.url);
  return new Worker(new URL(path, src).href, { type: 'module' });
}

/**
 * Lets other threads go first from now on, where the system has priorities of threads: what a worker
 * does may take its time, and requests may not.
 */
export function yieldToOthers(): void {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICE);
  } catch {
    // A system that forbids it is one on which nobody waits for this.
  }
}
