// Issues as they were last answered, so that reading one again costs no query. An entry is dropped
// in the same step in which a commit that changes its issue is known.
import type { IssueAnswer } from './view.ts';

const MAX_CHARACTERS = 16 * 1024 * 1024;

export type IssueCache = ReturnType<typeof createIssueCache>;

/** Makes an empty cache, of bounded size; the oldest entries go first. */
export function createIssueCache() {
  const entries = new Map<string, IssueAnswer>();
  let size = 0;
  let generation = 0;

  function drop(id: string): void {
    size -= entries.get(id)?.head.length ?? 0;
    entries.delete(id);
  }

  return {
    get: (id: string) => entries.get(id),
    /** Grows with every change: to be read before the rows are. */
    generation: () => generation,
    /** Keeps an entry, unless an issue changed since `generation` was read. */
    put(id: string, entry: IssueAnswer, since: number): void {
      if (since !== generation) return;
      drop(id);
      entries.set(id, entry);
      size += entry.head.length;
      for (const oldest of entries.keys()) {
        if (size <= MAX_CHARACTERS) break;
        drop(oldest);
      }
    },
    changed(...ids: string[]): void {
      generation += 1;
      for (const id of ids) drop(id);
    },
    clear(): void {
      generation += 1;
      size = 0;
      entries.clear();
    },
  };
}
