// The latest results of a project's tests and commands, as far as stories are concerned, and the links
// that tests make by themselves.
import { asCalled } from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { RunFacts } from './run-facts.ts';
import type { TargetResult } from './target-results.ts';

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

/** The keys of the tests that have a name, by the names as they are compared; of several the first two. */
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

/** The key of the test that a text means; undefined where no test, or several, have the name. */
export function keyCalled(called: CalledTests, text: string): string | undefined {
  const keys = called.size === 0 ? undefined : called.get(asCalled(text));
  return keys?.length === 1 ? keys[0] : undefined;
}

/** Whether a text is the name of several tests. */
export function isOfSeveral(called: CalledTests, text: string): boolean {
  return called.size > 0 && (called.get(asCalled(text))?.length ?? 0) > 1;
}

/** The batch that a result is of. */
export function batchOf(resultSeq: number): number {
  return Math.floor(resultSeq / BATCH_SPAN);
}
