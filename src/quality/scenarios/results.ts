// The newest results of scenarios. Which results are a scenario's is known where runs are held against
// the stories; until somebody says it, there are none.
import type { ResultStatus } from '../reports/model.ts';

/** How a scenario went when it was last run. */
export interface ScenarioResult {
  status: ResultStatus;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Finds the newest result of a scenario by its key. */
export type FindScenarioResult = (key: string) => ScenarioResult | undefined;

export interface ScenarioResults {
  /** The results of a project's scenarios as they are known now. */
  of(projectId: string): Promise<FindScenarioResult>;
  /** Says who knows them. */
  from(source: (projectId: string) => Promise<FindScenarioResult>): void;
}

/** Results that nobody knows yet. */
export function createScenarioResults(): ScenarioResults {
  let source: (projectId: string) => Promise<FindScenarioResult> = async () => () => undefined;
  return {
    of: (projectId) => source(projectId),
    from(other) {
      source = other;
    },
  };
}
