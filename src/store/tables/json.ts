// Shapes of what stands as JSON in a column.

export interface AgentName {
  name: string;
  version: string | null;
}

export interface ClaimedItem {
  name: string | null;
  kind?: string;
  argv?: string[];
  cwd?: string | null;
  env?: Record<string, string>;
  timeoutMs?: number;
  report?: { format: string; path: string | null };
  storyIds?: string[];
}

export interface Progress {
  done: number | null;
  total: number | null;
  current: string | null;
}

export type Pins = Record<string, [fingerprint: string, deepFingerprint: string]>;

export interface EditValues {
  title?: string;
  statement?: string;
  acceptance?: string[];
  rationale?: string | null;
  priority?: string | null;
  tags?: string[];
}

export interface AdditionLink {
  type: 'refines' | 'derives' | 'depends' | 'verifies' | 'satisfies' | 'conflicts' | 'relates';
  to: string;
}

export interface JudgedTest {
  kind: string;
  id: string;
  fingerprint: string | null;
}

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

export interface CommandReport {
  format: 'none' | 'junit' | 'ctrf' | 'tap';
  path: string | null;
}

/** Who has set a command aside, why, and until when, in milliseconds since the epoch. */
export interface Quarantine {
  owner: string;
  reason: string;
  until: number;
}

export interface ResultTotals {
  tests: number;
  passed: number;
  failed: number;
  broken: number;
  skipped: number;
  unknown: number;
  flaky: number;
}

export interface HarnessError {
  code: string;
  detail: string;
}

export interface Execution {
  exitCode?: number | null;
  signal?: string | null;
  startedAt?: string | null;
  finishedAt?: string | null;
  /** Of the report, as the one who ran it read it. */
  reportSha256?: string | null;
  reportModifiedAt?: string | null;
  /** Files whose tests were to run, relative to the root. */
  expectedFiles?: readonly string[] | null;
  consoleTail?: string | null;
}

export interface Attempt {
  status: 'passed' | 'failed' | 'broken' | 'skipped' | 'unknown';
  durationMs: number | null;
  message: string | null;
  trace: string | null;
}

export interface ScenarioStep {
  keyword: string;
  text: string;
}
