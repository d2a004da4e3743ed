// Workers, whose files the executable carries as further entry points.

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
