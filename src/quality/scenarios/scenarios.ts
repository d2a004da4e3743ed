// The scenarios of each project: those of its sources and the stored ones, kept until either change.
import { evictOldest } from '../../requirements/graph/effective.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { readContentVersions } from '../../requirements/projects/content-versions.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { inTurns } from '../turns.ts';
import type { Scenario } from './model.ts';
import { readStored, sourceScenarios } from './rows.ts';

/** The scenarios of a project at a moment. */
export interface ProjectScenarios {
  /** Number of the revision whose sources are listed; 0 before the first. */
  revision: number;
  /**
   * Of the sources in their order, then the stored ones, the newest last; with keys that rise, and
   * stay for the stored ones.
   */
  listed: { keys: readonly number[]; items: readonly Scenario[] };
  /** Those that count: of two with one key that of the sources. */
  inEffect: readonly Scenario[];
  byId: ReadonlyMap<string, Scenario>;
  /** Those in effect, by their keys. */
  byKey: ReadonlyMap<string, Scenario>;
}

export interface Scenarios {
  of(projectId: string): Promise<ProjectScenarios>;
}

/** Stored ones stand behind all of the sources, however many these are. */
export const STORED_FROM = 2 ** 40;

interface Held {
  revision: RevisionRow | undefined;
  /** The version of the stored ones. */
  count: number;
  sources: Promise<readonly Scenario[]>;
  stored: Promise<ReadonlyMap<number, Scenario>>;
  value: Promise<ProjectScenarios>;
  size: number;
}

/** Opens the scenarios of an instance. */
export function openScenarios(needed: Requirements): Scenarios {
  const { database, graphs } = needed;
  const kept = new Map<string, Held>();
  database.onRecovered(() => kept.clear());

  async function readSources(projectId: string, revision: RevisionRow | undefined) {
    if (!revision) return [];
    return inTurns(sourceScenarios(projectId, await graphs.catalog(revision), revision));
  }

  async function readOthers(projectId: string, before: Held | undefined) {
    const known = await before?.stored.catch(() => undefined);
    return readStored(database.read, projectId, known ?? new Map());
  }

  function hold(projectId: string, revision: RevisionRow | undefined, count: number): Held {
    const before = kept.get(projectId);
    const sources =
      before && before.revision?.seq === revision?.seq
        ? before.sources
        : readSources(projectId, revision);
    const stored = before?.count === count ? before.stored : readOthers(projectId, before);
    const value = Promise.all([sources, stored]).then(([one, other]) =>
      joined(revision?.number ?? 0, one, other),
    );
    const held: Held = { revision, count, sources, stored, value, size: before?.size ?? 0 };
    value.then(
      ({ listed }) => {
        held.size = listed.items.length;
        evictOldest(kept, ({ size }) => size);
      },
      () => {
        if (kept.get(projectId) === held) kept.delete(projectId);
      },
    );
    return held;
  }

  return {
    async of(projectId) {
      const revision = await readRevision(needed, projectId, undefined);
      // Read before the rows are: a change that comes between is seen as one.
      const { scenarios: count } = await readContentVersions(database.read, projectId);
      let held = kept.get(projectId);
      if (!held || held.count !== count || held.revision?.seq !== revision?.seq)
        held = hold(projectId, revision, count);
      kept.delete(projectId);
      kept.set(projectId, held);
      return held.value;
    },
  };
}

/** The scenarios of a project that count: those of its sources, then the stored ones. */
export async function scenariosOf(
  { scenarios }: { scenarios: Scenarios },
  projectId: string,
): Promise<readonly Scenario[]> {
  return (await scenarios.of(projectId)).inEffect;
}

/** Both as one list. */
function joined(
  revision: number,
  sources: readonly Scenario[],
  stored: ReadonlyMap<number, Scenario>,
): ProjectScenarios {
  const keys = sources.map((_, at) => at);
  const items = [...sources];
  const inEffect = [...sources];
  const byKey = new Map(sources.map((scenario) => [scenario.key, scenario]));
  const own = byKey.size;
  for (const [seq, scenario] of stored) {
    const absorbed = own > 0 && byKey.get(scenario.key)?.origin === 'source';
    keys.push(STORED_FROM + seq);
    items.push(absorbed ? { ...scenario, state: 'absorbed' } : scenario);
    if (absorbed) continue;
    inEffect.push(scenario);
    byKey.set(scenario.key, scenario);
  }
  const byId = new Map(items.map((scenario) => [scenario.id, scenario]));
  return { revision, listed: { keys, items }, inEffect, byId, byKey };
}
