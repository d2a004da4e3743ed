// A report of ours with one result, for a command that leaves none: its exit code is the result.

import type { ResultStatus } from '../../quality/reports/model.ts';
import { WHOLE_COMMAND_TOOL } from '../../quality/runs/execution-errors.ts';

export interface OneResult {
  name: string;
  status: ResultStatus;
  durationMs: number;
  message: string | null;
  /** Where no command holds them already. */
  storyIds: readonly string[];
}

/** How a process ended, as far as its result depends on it. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: string | null;
}

const TEXT_MOST = 8000;

/** The result that an exit tells of, as shells and CI systems read it: 0 passed, any other failed. */
export function resultOfExit({ exitCode, signal }: ProcessEnd): {
  status: ResultStatus;
  message: string | null;
} {
  if (signal !== null) return { status: 'broken', message: `ended by ${signal}` };
  if (exitCode === 0) return { status: 'passed', message: null };
  return exitCode === null
    ? { status: 'broken', message: 'ended without an exit code' }
    : { status: 'failed', message: `exit code ${exitCode}` };
}

/** The report's JSON. */
export function reportOfOne({ name, status, durationMs, message, storyIds }: OneResult): Buffer {
  const result = {
    ...{ name: name.slice(0, 1000), status, durationMs: Math.max(0, Math.round(durationMs)) },
    ...(message === null ? {} : { message: message.slice(0, TEXT_MOST) }),
    ...(storyIds.length === 0 ? {} : { storyIds }),
  };
  return Buffer.from(JSON.stringify({ tool: WHOLE_COMMAND_TOOL, results: [result] }));
}
