// Figures, times and names as they are read.

/** `3 tests`, `1 test`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** A share of 0 to 1, rounded down, so that 100 % means all. */
export function percent(share: number | null | undefined): string {
  return share == null ? 'n/a' : `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

/** @param ms - milliseconds */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(count, 1)) / 10));
  return `${power === 0 ? count : (count / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** `22 Nov`, in UTC. */
export function day(time: string): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

/** `2026-11-22 17:15`, in UTC. */
export function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** `17:15:02`, in UTC. */
export function clock(time: string): string {
  return time.slice(11, 19);
}

export function since(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (seconds < 50) return 'just now';
  if (seconds < 3500) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_000) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}

/** The first eight letters of a commit. */
export function commitName(commit: string | null | undefined): string {
  return commit?.slice(0, 8) ?? '';
}

/** A code as words: `in_progress` is `in progress`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

/** The last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A test's own name, without its suites and the ids of stories. */
export function testName(name: string): string {
  return name.replace(/ \[[^\]]+\]$/, '').replace(/^.* > /, '');
}
