// A log that is kept in memory, to be looked through.
import { type Log, type LogLevel, openLog } from '../../src/log.ts';

/** A log of this level, and what was written to it. */
export function memoryLog(level: LogLevel): { log: Log; logged(): string } {
  const lines: string[] = [];
  const log = openLog(level, false, (line) => void lines.push(line));
  return { log, logged: () => lines.join('') };
}
