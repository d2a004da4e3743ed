// Scenarios as they stand in their table and in the sources.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import type { Db } from '../../store/database.ts';
import { derivedId } from '../../store/ids.ts';
import { type ScenarioRow, scenarios } from '../../store/tables/quality.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { routeOfTag } from '../routes/route-text.ts';
import { nextTurn, type Steps } from '../turns.ts';
import { scenarioFingerprint } from './fingerprint.ts';
import type { Scenario, ScenarioState } from './model.ts';

/** Rows that are read at a time: some milliseconds, for which others wait. */
const ROWS_AT_A_TIME = 500;
/** The same where a row is but two numbers. */
const VERSIONS_AT_A_TIME = 5000;

/** Steps of scenarios that are looked at in one go, and what a scenario counts beside its own. */
export const STEPS_AT_A_TIME = 2000;
export const SCENARIO_STEPS = 10;

/** A stored scenario. */
export function storedScenario(row: ScenarioRow): Scenario {
  return {
    ...{ id: row.id, key: row.key, feature: row.feature, title: row.title },
    steps: row.steps,
    examples: row.examples,
    storyIds: row.storyIds,
    routes: row.routes,
    tags: row.tags,
    ...{ state: row.state as ScenarioState, origin: 'stored', source: null },
    fingerprint: row.fingerprint,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    ...{ version: row.version, createdAt: row.createdAt, updatedAt: row.updatedAt },
  };
}

/** The scenarios of a revision's sources, in their order; their ids follow from their keys. */
export function* sourceScenarios(
  projectId: string,
  { scenarios: found }: Catalog,
  { number, createdAt }: Pick<RevisionRow, 'number' | 'createdAt'>,
): Steps<Scenario[]> {
  const all: Scenario[] = [];
  let left = STEPS_AT_A_TIME;
  for (const scenario of found) {
    left -= SCENARIO_STEPS + scenario.steps.length;
    if (left < 0) {
      yield;
      left = STEPS_AT_A_TIME;
    }
    all.push({
      ...sourceContent(scenario),
      id: derivedId('scn', projectId, scenario.key),
      key: scenario.key,
      ...{ state: 'active', origin: 'source' },
      source: { path: scenario.path, line: scenario.line },
      fingerprint: scenarioFingerprint(scenario),
      ...{ author: null, version: number, createdAt, updatedAt: createdAt },
    });
  }
  return all;
}

/** What a scenario of Gherkin says. */
export function sourceContent({ feature, title, steps, examples, tags, storyIds }: SourceScenario) {
  return {
    ...{ feature: feature === '' ? null : feature, title, steps, examples, storyIds, tags },
    routes: routesOfTags(tags),
  };
}

/** The routes that tags declare. */
export function routesOfTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => routeOfTag(tag) ?? []))];
}

/**
 * The stored scenarios of a project in the order in which they came, by their `seq`; of those that are
 * known only the versions are read.
 */
export async function readStored(
  db: Db,
  projectId: string,
  known: ReadonlyMap<number, Scenario>,
): Promise<Map<number, Scenario>> {
  const found = new Map<number, Scenario | undefined>();
  const unknown: number[] = [];
  for (let behind = 0, more = true; more; ) {
    const rows = await db
      .select({ seq: scenarios.seq, version: scenarios.version })
      .from(scenarios)
      .where(and(eq(scenarios.projectId, projectId), gt(scenarios.seq, behind)))
      .orderBy(asc(scenarios.seq))
      .limit(VERSIONS_AT_A_TIME);
    for (const { seq, version } of rows) {
      const before = known.get(seq);
      found.set(seq, before);
      if (before?.version !== version) unknown.push(seq);
    }
    behind = rows.at(-1)?.seq ?? behind;
    more = rows.length === VERSIONS_AT_A_TIME;
    if (more) await nextTurn();
  }
  for (let from = 0; from < unknown.length; from += ROWS_AT_A_TIME) {
    if (from > 0) await nextTurn();
    const wanted = JSON.stringify(unknown.slice(from, from + ROWS_AT_A_TIME));
    const rows = await db
      .select()
      .from(scenarios)
      .where(sql`${scenarios.seq} in (select value from json_each(${wanted}))`);
    for (const row of rows) found.set(row.seq, storedScenario(row));
  }
  // One that went between the two reads is left out.
  return new Map([...found].flatMap(([seq, one]) => (one ? [[seq, one] as const] : [])));
}
