// The newest results of what stories are linked to: tests, commands and scenarios.
import type { ResultStatus } from '../../quality/reports/model.ts';
import type { AsOf } from '../../requirements/graph/effective-as-of.ts';
import type { StoryCommands } from '../coverage/story-commands.ts';
import { findTest, type ResultIndex } from './result-index.ts';

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

/** The newest results of a project. */
export interface TargetResults {
  /** 0 while no run has been recorded. */
  readonly size: number;
  /** By `<kind> <id>` of the target; a command's key is as good as its id, and so is a name that one test alone has. */
  get(target: string): TargetResult | undefined;
  of(target: { kind: string; id: string }): TargetResult | undefined;
}

/** The key of a target among results. */
export function targetKey({ kind, id }: { kind: string; id: string }): string {
  return `${kind} ${id}`;
}

/** Results that are looked up by kind and id. */
export function targetResults(size: number, of: TargetResults['of']): TargetResults {
  return {
    ...{ size, of },
    get(target) {
      const space = target.indexOf(' ');
      return of({ kind: target.slice(0, space), id: target.slice(space + 1) });
    },
  };
}

/**
 * The newest results of an index.
 *
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 */
export function lookUpResults(
  { tests, called, commands }: Pick<ResultIndex, 'tests' | 'called' | 'commands'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
): TargetResults {
  return targetResults(tests.size + commands.size, ({ kind, id }) => {
    if (kind === 'test') return findTest({ tests, called }, id)?.result;
    if (kind === 'command') return commands.get(find(id)?.id ?? '');
    if (kind !== 'scenario') return undefined;
    const runs = (ofScenario.get(id) ?? []).flatMap((key) => tests.get(key) ?? []);
    return runs.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result;
  });
}
