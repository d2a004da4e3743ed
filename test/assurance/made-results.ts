// Commands, stored scenarios, tests and results made of a few words, for tests of the rules about
// stories.

import {
  addLink,
  type StoredScenarios,
  type StoryCommands,
  storedScenarios,
  storyCommands,
} from '../../src/assurance/coverage/declared.ts';
import type { StoryTrace } from '../../src/assurance/coverage/model.ts';
import type { TargetResult, TargetResults } from '../../src/assurance/results/model.ts';
import { type KnownTest, NO_RESULTS, type ResultIndex } from '../../src/assurance/results/model.ts';
import { lookUpResults, targetKey } from '../../src/assurance/results/target-results.ts';
import type { Effective } from '../../src/requirements/graph/effective.ts';
import type { Catalog } from '../../src/requirements/import/read-sources.ts';

/** What a fingerprint of an earlier text is taken for. */
export const THEN = 'f1.ktsal:of-then';
export const DEEP_THEN = 'd1.ktsal:of-then';

export interface MadeResult {
  status: TargetResult['status'];
  at?: number;
  runId?: string;
  durationMs?: number | null;
  commandId?: string;
  branch?: string;
  /** The fingerprint of the test or command itself. */
  own?: string;
  /** Of a run for an earlier text of the story; or of something that it rests on. */
  old?: boolean | 'deep';
}

export interface MadeCommand {
  id: string;
  key?: string;
  name?: string;
  state?: 'active' | 'quarantined' | 'disabled' | 'archived';
  storyIds?: string[];
  fingerprint?: string;
  /** When its quarantine ends; after the moment that states are made for, unless told. */
  until?: number;
}

export interface MadeParts {
  commands?: readonly MadeCommand[];
  /** Scenarios that are in no source. */
  stored?: readonly { key: string; storyIds: string[]; tags?: string[]; fingerprint?: string }[];
  /** Tests that name stories by themselves. */
  tests?: readonly { key: string; storyIds: string[]; name?: string; result?: MadeResult }[];
  /** By `<kind> <id>`; of any other target. Of a command it is of that as it is, unless told. */
  results?: Record<string, MadeResult>;
}

/** When states are made. */
export const NOW = 1000;

/** A result of a run that pinned what the stories say, or said. */
export function makeResult(effective: Effective, made: MadeResult): TargetResult {
  const { status, at = 1, runId = 'run_1', durationMs = 5, old } = made;
  return {
    ...{ status, at, runId, durationMs, runSeq: 1, receivedAt: at },
    ...{ commandId: made.commandId ?? null, branch: made.branch ?? null },
    ...{ ownFingerprint: made.own ?? null, revision: null, overlayClock: null },
    fingerprintOf: (id) => (old === true ? THEN : effective.node(id)?.fingerprint),
    deepFingerprintOf: (id) => (old ? DEEP_THEN : effective.node(id)?.deepFingerprint),
  };
}

export function makeCommands(commands: readonly MadeCommand[]): StoryCommands {
  return storyCommands(
    commands.map(({ id, key = id, name = id, state = 'active', storyIds = [], ...more }) => ({
      ...{ id, key, name, state, storyIds: [...storyIds] },
      fingerprint: more.fingerprint ?? `c1:${id}`,
      quarantine: { owner: 'me', reason: 'r', until: more.until ?? NOW + 1 },
    })),
    NOW,
  );
}

interface Parts {
  commands: StoryCommands;
  scenarios: StoredScenarios;
  tests: ResultIndex;
  results: TargetResults;
  runsOf(scenarioKey: string): readonly string[];
}

export function makeParts(effective: Effective, catalog: Catalog, made: MadeParts): Parts {
  const commands = makeCommands(made.commands ?? []);
  const scenarios = storedScenarios(
    (made.stored ?? []).map(({ key, storyIds, tags = [], fingerprint = 's1:x' }) => ({
      ...{ key, feature: null, title: `Title of ${key}`, fingerprint },
      ...{ storyIds, tags },
    })),
    catalog,
  );
  const linksOf = new Map<string, StoryTrace[]>();
  const known = (made.tests ?? []).map(
    ({ key, storyIds, name = `Name of ${key}`, result }, seq): KnownTest => {
      const target = { kind: 'test', id: key } as const;
      for (const storyId of storyIds) addLink(linksOf, storyId, { target, origin: 'tag' });
      const own = result && makeResult(effective, result);
      return { key, seq, name, suite: null, storyIds, resultSeq: seq, result: own };
    },
  );
  const byKey = new Map(known.map((test) => [test.key, test]));
  const tests: ResultIndex = { ...NO_RESULTS, tests: byKey, linksOf };
  const found = lookUpResults(tests, commands, new Map());
  const others = new Map(
    Object.entries(made.results ?? {}).map(([key, one]) => {
      const [kind, id] = key.split(' ');
      const own = kind === 'command' ? { own: `c1:${id}` } : {};
      return [key, makeResult(effective, { ...own, ...one })];
    }),
  );
  const results: TargetResults = {
    of: (target) => others.get(targetKey(target)) ?? found.of(target),
  };
  return { commands, scenarios, tests, results, runsOf: () => [] };
}
