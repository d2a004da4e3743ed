// The scenarios of each project: those of the sources of a revision and the stored ones, cached until
// either change. How they went is known where runs are held against the stories.
import { and, asc, eq, gt } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { readContentVersions } from '../../requirements/projects/projects.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import { derivedId } from '../../store/ids.ts';
import { type ScenarioRow, scenarios } from '../../store/tables/quality.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { createVersionCache, shownBy } from '../lists.ts';
import type { ResultStatus } from '../reports/model.ts';
import { type NamedRoute, routeOfTag, routesNamedIn } from '../routes/route-text.ts';
import { Scenario, scenarioFingerprint } from './model.ts';

export interface ProjectScenarios {
  revision: number;
  /** Of the sources in their order, then the stored ones; keys rise, and stay for the stored ones. */
  listed: { keys: readonly number[]; items: readonly Scenario[] };
  /** Those that count: of two with one key that of the sources. */
  inEffect: readonly Scenario[];
  byId: ReadonlyMap<string, Scenario>;
  byKey: ReadonlyMap<string, Scenario>;
}

export type Scenarios = ReturnType<typeof openScenarios>;

const STORED_FROM = 2 ** 40;
const BATCH_SIZE = 500;

export function openScenarios(requirements: Requirements) {
  const { database, graphs } = requirements;
  const sources = createVersionCache<ReadonlyMap<string, Scenario>>(database, ({ size }) => size);
  const all = createVersionCache<ProjectScenarios>(database, ({ listed }) => listed.items.length);

  async function sourcesOf(projectId: string, asked?: number) {
    const revision = await readRevision(requirements, projectId, asked);
    const items = await sources.get(`${projectId} ${asked ?? ''}`, [revision?.seq], async () => {
      const found = new Map<string, Scenario>();
      const catalog = revision && (await graphs.catalog(revision));
      for (const [at, scenario] of catalog?.scenarios.entries() ?? []) {
        if (at % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
        if (revision) found.set(scenario.key, sourceScenario(projectId, scenario, revision));
      }
      return found;
    });
    return { number: revision?.number ?? 0, items };
  }

  return {
    /** @param asked - the number of a revision; the latest unless given */
    async of(projectId: string, asked?: number) {
      // Read before the rows are: a change that comes between is seen as one.
      const versions = await readContentVersions(database, projectId);
      const { number, items } = await sourcesOf(projectId, asked);
      return all.get(`${projectId} ${asked ?? ''}`, [items, versions.scenarios], async () =>
        joined(number, items, await readStored(database.read, projectId)),
      );
    },
    ofSources: async (projectId: string) => (await sourcesOf(projectId)).items,
  };
}

async function readStored(db: Db, projectId: string): Promise<Map<number, Scenario>> {
  const stored = new Map<number, Scenario>();
  for (let after = 0; ; ) {
    const rows = await db
      .select()
      .from(scenarios)
      .where(and(eq(scenarios.projectId, projectId), gt(scenarios.seq, after)))
      .orderBy(asc(scenarios.seq))
      .limit(BATCH_SIZE);
    for (const row of rows) stored.set(row.seq, storedScenario(row));
    if (rows.length < BATCH_SIZE) return stored;
    after = rows.at(-1)?.seq ?? after;
    await yieldToEventLoop();
  }
}

function joined(
  revision: number,
  sources: ReadonlyMap<string, Scenario>,
  stored: ReadonlyMap<number, Scenario>,
): ProjectScenarios {
  const items = [...sources.values()];
  const keys = items.map((_, at) => at);
  const byKey = new Map(sources);
  for (const [seq, scenario] of stored) {
    const isAbsorbed = sources.has(scenario.key);
    keys.push(STORED_FROM + seq);
    items.push(isAbsorbed ? { ...scenario, state: 'absorbed' } : scenario);
    if (!isAbsorbed) byKey.set(scenario.key, scenario);
  }
  const byId = new Map(items.map((scenario) => [scenario.id, scenario]));
  return { revision, listed: { keys, items }, inEffect: [...byKey.values()], byId, byKey };
}

export function storedScenario(row: Omit<ScenarioRow, 'seq'>): Scenario {
  return shownBy(Scenario, {
    ...row,
    origin: 'stored',
    source: null,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  });
}

function sourceScenario(
  projectId: string,
  scenario: SourceScenario,
  { number, createdAt }: Pick<RevisionRow, 'number' | 'createdAt'>,
): Scenario {
  return shownBy(Scenario, {
    ...sourceContent(scenario),
    id: derivedId('scn', projectId, scenario.key),
    routes: routesOfTags(scenario.tags),
    state: 'active',
    origin: 'source',
    source: { path: scenario.path, line: scenario.line },
    fingerprint: scenarioFingerprint(scenario),
    author: null,
    version: number,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(createdAt),
  });
}

export function sourceContent(scenario: SourceScenario) {
  const { key, feature, title, steps, examples, tags, storyIds } = scenario;
  return { key, feature: feature || null, title, steps, examples, tags, storyIds };
}

export function routesOfTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => routeOfTag(tag) ?? []))];
}

const MAX_ROUTES = 500;

/** The routes that a scenario's steps name, each as often as they do: `When I GET /orders/7`. */
export function routesInSteps(scenario: Scenario): readonly NamedRoute[] {
  const named: NamedRoute[] = [];
  for (const { keyword, text } of scenario.steps) {
    // Nearly no step has one.
    if (text.includes('/')) named.push(...routesNamedIn(`${keyword} ${text}`));
    if (named.length >= MAX_ROUTES) break;
  }
  return named.slice(0, MAX_ROUTES);
}

type FindScenarioResult = (key: string) => { status: ResultStatus; at: number } | undefined;

export interface ScenarioResults {
  /** The results of a project's scenarios as they are known now; set by who knows them. */
  of(projectId: string): Promise<FindScenarioResult>;
}
