// New entries as they come, held back while the reader pauses.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useStream } from '../../core/stream.ts';
import type { LogEntry } from './answers.ts';

/** Older ones are left to the list, which has them all. */
const MAX_NEW = 5000;
const FLUSH_MS = 100;

export interface Following {
  /** Those that came since it is followed, the newest first. */
  entries: LogEntry[];
  connected: boolean;
  paused: boolean;
  /** How many came during the pause. */
  waiting: number;
  setPaused(paused: boolean): void;
}

/** @param path - of the stream; undefined to follow nothing */
export function useFollowing(path: string | undefined): Following {
  const [come, setCome] = useState<{ of: string | undefined; entries: LogEntry[] }>();
  const [waiting, setWaiting] = useState(0);
  const [paused, setPaused] = useState(false);
  const incoming = useRef<LogEntry[]>([]);
  const isPaused = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A burst is shown at once, not entry by entry.
  const flush = () => {
    timer.current = undefined;
    const fresh = incoming.current;
    if (isPaused.current) {
      fresh.splice(0, fresh.length - MAX_NEW);
      setWaiting(fresh.length);
      return;
    }
    incoming.current = [];
    setWaiting(0);
    fresh.reverse();
    setCome((before) => {
      const older = before && before.of === path ? before.entries : [];
      return { of: path, entries: [...fresh, ...older].slice(0, MAX_NEW) };
    });
  };
  const connected = useStream(path, ({ type, data }) => {
    if (type !== 'log-entry') return;
    incoming.current.push(data as LogEntry);
    timer.current ??= setTimeout(flush, FLUSH_MS);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      incoming.current = [];
    },
    [path],
  );
  return {
    entries: come && come.of === path ? come.entries : [],
    connected,
    paused,
    waiting,
    setPaused(pause) {
      isPaused.current = pause;
      setPaused(pause);
      if (!pause) flush();
    },
  };
}
