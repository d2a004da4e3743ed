// What the service itself notes about a project, to be written to that project's system log by
// the area that keeps it. The same notice comes at most once a minute.

export interface Notice {
  projectId: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, string | number | boolean | null>;
}

export type Notices = ReturnType<typeof createNotices>;

const QUIET_MS = 60_000;
const KEYS_KEPT = 10_000;

export function createNotices(now: () => number, onFailure: (error: unknown) => void) {
  const last = new Map<string, number>();
  let writer: ((notice: Notice) => Promise<void>) | undefined;
  return {
    /** Notes something; `key` says what counts as the same. */
    note(key: string, notice: Notice): void {
      const at = now();
      if (at - (last.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
      if (last.size >= KEYS_KEPT) last.clear();
      last.set(key, at);
      writer?.(notice).catch(onFailure);
    },
    /** Who writes them down. */
    subscribe(write: (notice: Notice) => Promise<void>): void {
      writer = write;
    },
  };
}
