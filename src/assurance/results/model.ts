// What is known of the latest results of a project's tests and commands, as far as stories are concerned.
import type { ResultStatus } from '../../quality/reports/model.ts';
import { asCalled } from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import type { AsOf } from '../../requirements/graph/effective-as-of.ts';
import type { StoryTrace } from '../coverage/model.ts';

/** The newest result of a test, command or scenario, of a run that counts. */
export interface TargetResult {
  status: ResultStatus;
  /** Milliseconds since the epoch. */
  at: number;
  runId: string;
  /** Where its run stands among all, in the order in which they came. */
  runSeq: number;
  /** When its run was submitted, milliseconds since the epoch. */
  receivedAt: number;
  durationMs: number | null;
  /** The command that was run; null where its run names none. */
  commandId: string | null;
  /** The branch that was tested; null where its run names none. */
  branch: string | null;
  /** The fingerprint of the test or command itself, as it was then; null where it has none. */
  ownFingerprint: string | null;
  /**
   * The requirements that it is a result of, as a whole: a revision with the edits and additions up to
   * a clock, or as its sources gave it where that is null. Null where it is not known.
   */
  requirements: AsOf | null;
  /** The fingerprint that a story had for the run. */
  fingerprintOf(storyId: string): string | undefined;
  /** Its deep fingerprint then. */
  deepFingerprintOf(storyId: string): string | undefined;
}

export interface TargetResults {
  /** 0 while no run has been recorded. */
  readonly size: number;
  /** By `<kind> <id>` of the target; a command's key is as good as its id, and so is a name that one test alone has. */
  get(target: string): TargetResult | undefined;
  of(target: { kind: string; id: string }): TargetResult | undefined;
}

export interface RunFacts
  extends Pick<TargetResult, 'at' | 'runId' | 'commandId' | 'branch' | 'requirements'>,
    Pick<TargetResult, 'runSeq' | 'receivedAt'>,
    Pick<TargetResult, 'fingerprintOf' | 'deepFingerprintOf'> {}

export type StoryPrints = readonly [own: string, deep: string];

export interface PastStories {
  /** The fingerprints that a story had then; undefined where it had none, or nobody looked. */
  of(storyId: string, then: AsOf): StoryPrints | undefined;
}

/** A test that names stories, or that something else names. */
export interface KnownTest {
  key: string;
  /** Its place among all tests: the order in which links are listed. */
  seq: number;
  /** The suites that it stands in, and its own name. */
  name: string;
  /** The stories that its latest result names. */
  storyIds: readonly string[];
  /** The place of its latest result among all. */
  resultSeq: number;
  /** Undefined where its run is gone. */
  result: TargetResult | undefined;
}

export type CalledTests = ReadonlyMap<string, readonly string[]>;

export const NONE_CALLED: CalledTests = new Map();

export interface ResultIndex {
  /** The `seq` of the run up to which all is known. */
  upTo: number;
  /** By their keys. */
  tests: ReadonlyMap<string, KnownTest>;
  /** The links that tests make, by the ids that they name. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
  /** By the ids of the commands. */
  commands: ReadonlyMap<string, TargetResult>;
  /** By batch: the runs that latest results are of, and perhaps others. */
  facts: ReadonlyMap<number, RunFacts>;
  /** The keys of tests that something else names, and what else it calls tests by. */
  wanted: ReadonlySet<string>;
  /** The names among these, as they are compared, and the tests that have them. */
  names: ReadonlySet<string>;
  called: CalledTests;
}

export const NO_RESULTS: ResultIndex = {
  upTo: 0,
  tests: new Map(),
  linksOf: new Map(),
  commands: new Map(),
  facts: new Map(),
  wanted: new Set(),
  names: new Set(),
  called: NONE_CALLED,
};

/** A test by its key, or by a name that it alone has. */
export function findTest(
  { tests, called }: Pick<ResultIndex, 'tests' | 'called'>,
  id: string,
): KnownTest | undefined {
  return tests.get(id) ?? tests.get(keyCalled(called, id) ?? '');
}

export function keyCalled(called: CalledTests, text: string): string | undefined {
  const keys = called.size === 0 ? undefined : called.get(asCalled(text));
  return keys?.length === 1 ? keys[0] : undefined;
}

export function isOfSeveral(called: CalledTests, text: string): boolean {
  return called.size > 0 && (called.get(asCalled(text))?.length ?? 0) > 1;
}

export function batchOf(resultSeq: number): number {
  return Math.floor(resultSeq / BATCH_SPAN);
}
