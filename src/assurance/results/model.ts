// What is known of the latest results of a project's tests and commands, as far as stories are concerned.
import type { ResultStatus } from '../../quality/reports/model.ts';
import { keysCalled } from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import type { StoryTrace } from '../coverage/model.ts';

/** What a result has of its run; times in milliseconds since the epoch. */
export interface RunFacts {
  at: number;
  runId: string;
  /** Where the run stands among all, in the order in which they came. */
  runSeq: number;
  receivedAt: number;
  commandId: string | null;
  branch: string | null;
  /** The requirements that it is a run of, as a whole. */
  revision: number | null;
  overlayClock: number | null;
  fingerprintOf(storyId: string): string | undefined;
  deepFingerprintOf(storyId: string): string | undefined;
}

export interface TargetResult extends RunFacts {
  status: ResultStatus;
  durationMs: number | null;
  /** The fingerprint of the test or command itself, as it was then; null where it has none. */
  ownFingerprint: string | null;
}

export interface TargetResults {
  /** A command's key is as good as its id, and so is a name that one test alone has. */
  of(target: { kind: string; id: string }): TargetResult | undefined;
}

export interface KnownTest {
  key: string;
  /** Its place among all tests: the order in which links are listed. */
  seq: number;
  /** The suites that it stands in, and its own name. */
  name: string;
  /** Its file, else the outermost suite. */
  suite: string | null;
  storyIds: readonly string[];
  resultSeq: number;
  /** Undefined where its run is gone. */
  result: TargetResult | undefined;
}

export interface ResultIndex {
  /** The `seq` of the run up to which all is known. */
  upTo: number;
  tests: ReadonlyMap<string, KnownTest>;
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
  commands: ReadonlyMap<string, TargetResult>;
  /** The keys of tests that something else names. */
  wanted: ReadonlySet<string>;
}

export const NO_RESULTS: ResultIndex = {
  upTo: 0,
  tests: new Map(),
  linksOf: new Map(),
  commands: new Map(),
  wanted: new Set(),
};

/** A test by its key, or by what it is called with its file and suites. */
export function findTest({ tests }: Pick<ResultIndex, 'tests'>, id: string): KnownTest | undefined {
  const known = tests.get(id);
  if (known) return known;
  const key = keysCalled(id).find((one) => tests.has(one));
  return tests.get(key ?? '');
}

export function batchOf(resultSeq: number): number {
  return Math.floor(resultSeq / BATCH_SPAN);
}
