// Issues as they were last answered, so that reading one again costs no query. An entry is dropped
// in the same step in which a commit that changes its issue is known.

export interface CachedIssue {
  projectId: string;
  etag: string;
  /** JSON of the issue without its last brace, to which the attachments are added. */
  head: string;
  /** The whole answer, where there are no attachments whose links are made anew each time. */
  whole: string | undefined;
}

export interface IssueCache {
  get(id: string): CachedIssue | undefined;
  /** Keeps an entry, unless an issue changed since `generation` was read. */
  put(id: string, entry: CachedIssue, generation: number): void;
  /** Grows with every change: to be read before the rows are. */
  generation(): number;
  changed(...ids: (string | null | undefined)[]): void;
  /** Drops every entry. */
  clear(): void;
}

const CHARACTERS_KEPT = 16 * 1024 * 1024;

/** Makes an empty cache, of bounded size; the oldest entries go first. */
export function createIssueCache(): IssueCache {
  const entries = new Map<string, CachedIssue>();
  let size = 0;
  let generation = 0;

  function drop(id: string): void {
    const entry = entries.get(id);
    if (!entry) return;
    size -= sizeOf(entry);
    entries.delete(id);
  }

  return {
    get: (id) => entries.get(id),
    generation: () => generation,
    put(id, entry, since) {
      if (since !== generation) return;
      drop(id);
      entries.set(id, entry);
      size += sizeOf(entry);
      for (const oldest of entries.keys()) {
        if (size <= CHARACTERS_KEPT) break;
        drop(oldest);
      }
    },
    changed(...ids) {
      generation += 1;
      for (const id of ids) if (id) drop(id);
    },
    clear() {
      generation += 1;
      entries.clear();
      size = 0;
    },
  };
}

function sizeOf({ head, whole }: CachedIssue): number {
  return head.length + (whole?.length ?? 0);
}
