// The newest results of a project's tests and commands, and the links that its tests make by
// themselves. An index is never changed: the next one is made of it and of what has come since.
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { addLink } from '../coverage/story-commands.ts';
import {
  type CalledTests,
  keyCalled,
  NONE_CALLED,
  namesAmong,
  rememberCalled,
  stillCalled,
} from './called-tests.ts';
import type { RunFacts } from './run-facts.ts';
import type { TargetResult } from './target-results.ts';

/** A test that names stories, or that something else names. */
export interface KnownTest {
  key: string;
  /** Its place among all tests: the order in which links are listed. */
  seq: number;
  /** The suites that it stands in, and its own name. */
  name: string;
  /** The stories that its newest result names. */
  storyIds: readonly string[];
  /** Where its newest result stands among all. */
  resultSeq: number;
  /** Whether there is a row of its links. */
  linked: boolean;
  /** Undefined where its run is gone. */
  result: TargetResult | undefined;
}

export interface CommandResult {
  batch: number;
  result: TargetResult;
}

/** What of an index is another than in the one before. */
export interface IndexChanges {
  /** The keys of the tests, and the ids of the commands, with other results or links. */
  tests: ReadonlySet<string>;
  commands: ReadonlySet<string>;
}

export interface ResultIndex {
  /** Tells indexes apart: two with one number hold the same results. */
  number: number;
  /** What is another than in an earlier index; undefined where it was not made of one. */
  changes: (IndexChanges & { since: number }) | undefined;
  /** The `seq` of the run up to which all is known. */
  upTo: number;
  /** By their keys. */
  tests: ReadonlyMap<string, KnownTest>;
  /** How many of the tests have rows of links. */
  linked: number;
  /** The links that tests make, by the ids that they name. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
  /** By the ids of the commands. */
  commands: ReadonlyMap<string, CommandResult>;
  /** By batch: the runs that newest results are of, and perhaps others. */
  facts: ReadonlyMap<number, RunFacts>;
  /** The keys of tests that something else names, and what else it calls tests by: looked for. */
  wanted: ReadonlySet<string>;
  /** The tests that have the names among these. */
  called: CalledTests;
}

export const NO_RESULTS: ResultIndex = {
  ...{ number: 0, changes: undefined, upTo: 0, linked: 0, tests: new Map(), linksOf: new Map() },
  ...{ commands: new Map(), facts: new Map(), wanted: new Set(), called: NONE_CALLED },
};

/** A test by its key, or by a name that it alone has. */
export function findTest(
  { tests, called }: Pick<ResultIndex, 'tests' | 'called'>,
  id: string,
): KnownTest | undefined {
  return tests.get(id) ?? tests.get(keyCalled(called, id) ?? '');
}

export interface IndexBuilder {
  readonly facts: Map<number, RunFacts>;
  readonly tests: ReadonlyMap<string, KnownTest>;
  readonly called: CalledTests;
  put(test: KnownTest): void;
  /** Tells that a test has names that are looked for; gives whether one of them may mean it. */
  call(key: string, names: readonly string[]): boolean;
  /** Forgets which tests have some names. */
  uncall(names: Iterable<string>): void;
  /** Forgets a test that has no links any more. */
  drop(key: string): void;
  putCommand(id: string, command: CommandResult): void;
  done(upTo: number, wanted: ReadonlySet<string>): ResultIndex;
}

let indexes = 0;

/**
 * Begins the index that follows another one; of none, where all is read anew.
 *
 * @param wanted - by what something else names tests, where that is another than before
 */
export function nextIndex(before?: ResultIndex, wanted = before?.wanted): IndexBuilder {
  const known = before ?? NO_RESULTS;
  const tests = new Map(known.tests);
  const commands = new Map(known.commands);
  const facts = new Map(known.facts);
  const changed = { tests: new Set<string>(), commands: new Set<string>() };
  /** The tests that name other stories than before. */
  const relinked = new Set<string>();
  const names = wanted === undefined ? undefined : namesAmong(wanted);
  const left = names ? stillCalled(known.called, names) : known.called;
  const called = new Map(left);
  let isCalledElse = false;
  return {
    ...{ facts, tests, called },
    put(test) {
      const { key, storyIds } = test;
      changed.tests.add(key);
      if (!sameIds(tests.get(key)?.storyIds ?? [], storyIds)) relinked.add(key);
      tests.set(key, test);
    },
    call(key, own) {
      const had = own.map((name) => called.get(name));
      const isMeant = rememberCalled(called, key, own);
      isCalledElse ||= own.some((name, at) => called.get(name) !== had[at]);
      return isMeant;
    },
    uncall(some) {
      for (const name of some) isCalledElse = called.delete(name) || isCalledElse;
    },
    drop(key) {
      if (!tests.delete(key)) return;
      changed.tests.add(key);
      relinked.add(key);
    },
    putCommand(id, command) {
      changed.commands.add(id);
      commands.set(id, command);
    },
    done(upTo, looked) {
      const meant = { wanted: looked, called: isCalledElse ? called : left };
      if (before && changed.tests.size + changed.commands.size === 0)
        return { ...before, upTo, ...meant };
      let linked = 0;
      for (const test of tests.values()) if (test.linked) linked += 1;
      indexes += 1;
      return {
        ...{ number: indexes, upTo, tests, linked, commands, ...meant },
        changes: before && { ...changed, since: before.number },
        linksOf: linksWith(known, tests, relinked),
        facts: needed(facts, tests, commands),
      };
    },
  };
}

function sameIds(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id, at) => id === others[at]);
}

/** The links, with those of the tests that name other stories than before. */
function linksWith(
  before: ResultIndex,
  tests: ReadonlyMap<string, KnownTest>,
  touched: ReadonlySet<string>,
): ResultIndex['linksOf'] {
  if (touched.size === 0) return before.linksOf;
  const fresh = new Map<string, StoryTrace[]>();
  const left = new Set<string>();
  for (const key of touched) {
    for (const storyId of before.tests.get(key)?.storyIds ?? []) left.add(storyId);
    const test = tests.get(key);
    if (!test) continue;
    const target = { kind: 'test', id: key } as const;
    for (const storyId of test.storyIds) addLink(fresh, storyId, { target, origin: 'tag' });
  }
  const linksOf = new Map(before.linksOf);
  const seqOf = ({ target }: StoryTrace) => tests.get(target.id)?.seq ?? 0;
  for (const storyId of new Set([...fresh.keys(), ...left])) {
    const kept = (before.linksOf.get(storyId) ?? []).filter(
      ({ target }) => !touched.has(target.id),
    );
    const links = [...kept, ...(fresh.get(storyId) ?? [])];
    if (links.length === 0) linksOf.delete(storyId);
    else
      linksOf.set(storyId, links.length === 1 ? links : links.sort((a, b) => seqOf(a) - seqOf(b)));
  }
  return linksOf;
}

/** The batch that a result is of. */
export function batchOf(resultSeq: number): number {
  return Math.floor(resultSeq / BATCH_SPAN);
}

const FEW = 64;

/** The runs that newest results are of; looked through only where there are many. */
function needed(
  facts: ReadonlyMap<number, RunFacts>,
  tests: ReadonlyMap<string, KnownTest>,
  commands: ReadonlyMap<string, CommandResult>,
): ResultIndex['facts'] {
  if (facts.size <= FEW) return facts;
  const batches = new Set<number>();
  for (const { resultSeq } of tests.values()) batches.add(batchOf(resultSeq));
  for (const { batch } of commands.values()) batches.add(batch);
  return new Map([...facts].filter(([batch]) => batches.has(batch)));
}
