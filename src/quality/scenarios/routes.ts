// Routes of the scenarios.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { invalid, notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { bodyOf, entriesBody, readJson } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, made, nextLink, ok } from '../../http/api/reply.ts';
import { asksForNew, etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { retryOnConflict, WriteConflict } from '../../model/write-conflict.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { linkTags } from '../../requirements/sources/item-ids.ts';
import { firstBehind, passing, revisionOfCursor } from '../keyed-page.ts';
import type { Quality } from '../quality.ts';
import { SCENARIO_DOCS, ScenarioPage, ScenarioSchema, WrittenSchema } from './docs.ts';
import { GherkinText, readGherkinText } from './gherkin.ts';
import { gherkinInputs, jsonInputs, type ScenarioInputs } from './input.ts';
import {
  MAX_SCENARIOS,
  type Scenario,
  ScenarioBody,
  type ScenarioFilters,
  ScenarioQuery,
} from './model.ts';
import { type Outcome, type Written, writeScenarios } from './write.ts';

const GHERKIN = 'text/x-gherkin';
const entries = entriesBody(ScenarioBody, () => MAX_SCENARIOS);

const scenarioBody = bodyOf<ScenarioInputs>({
  mediaTypes: ['application/json', GHERKIN],
  limitOf: (limits, mediaType) =>
    mediaType === GHERKIN ? limits.importBytes : limits.jsonBodyBytes,
  parse: (bytes, mediaType) => (mediaType === GHERKIN ? readGherkinText(bytes) : readJson(bytes)),
  check: (value, limits) =>
    value instanceof GherkinText
      ? gherkinInputs(value)
      : jsonInputs(entries.check(value, limits), !Array.isArray(value)),
  schemas: {
    'application/json': Type.Union([
      ScenarioBody,
      Type.Array(ScenarioBody, { maxItems: MAX_SCENARIOS }),
    ]),
    [GHERKIN]: Type.String({ description: 'A feature in Gherkin, in any language that it knows' }),
  },
});

export const scenarioRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'scenarios', prefix: '/project-scenarios' })
    .use(api(quality))
    .get(
      '',
      async ({ query, caller: { projectId }, request }) => {
        if (query.id !== undefined || query.key !== undefined)
          return readScenario(quality, projectId, query);
        const filters = filterHash('listScenarios', query);
        const seen = decodeAnchored(filters, query.cursor);
        const latest = quality.tokens.project(projectId)?.revision ?? 0;
        const asked = revisionOfCursor(seen?.anchor, latest);
        const { listed, revision } = await quality.scenarios.of(projectId, asked);
        const { keys, items } = listed;
        const from = seen ? firstBehind(keys.length, (at) => (keys[at] ?? 0) > seen.key) : 0;
        const limit = query.limit ?? PAGE_DEFAULT;
        const page = pageOf(
          passing(items, from, limit, (one) => passesScenario(one, query)),
          limit,
          filters,
          ({ at }) => keys[at] ?? at,
          ({ item }) => scenarioView(item),
          () => String(revision),
        );
        return ok(page, { headers: nextLink(request, page) });
      },
      {
        operation: { id: 'listScenarios', docs: SCENARIO_DOCS.read },
        query: queryOf(ScenarioQuery),
        response: answers({ 200: Type.Union([ScenarioPage, ScenarioSchema]) }),
      },
    )
    .post(
      '',
      ({ caller, now, body, request, write }) =>
        retryOnConflict(async () => {
          const { projectId } = caller;
          const onlyNew = asksForNew(request.headers.get('if-none-match'));
          const { inputs, unknownStoryIds } = await linked(quality, projectId, body);
          const latest = quality.tokens.project(projectId)?.revision ?? 0;
          const sources = await quality.scenarios.ofSources(projectId);
          return write(async (db) => {
            const { revision } = await getProject(db, projectId);
            if (revision !== latest) throw new WriteConflict('there is a newer revision');
            const written = await writeScenarios(db, {
              projectId,
              inputs,
              onlyNew,
              sourceOf: (key) => sources.get(key),
              actor: actorOf(caller),
              now,
            });
            return replyOf(written, unknownStoryIds, body);
          });
        }),
      {
        operation: { id: 'writeScenarios', docs: SCENARIO_DOCS.write },
        query: noQuery,
        body: scenarioBody,
        response: answers({ 200: WrittenSchema, 201: WrittenSchema }),
      },
    );

async function readScenario(
  { scenarios }: Quality,
  projectId: string,
  { id, key }: ScenarioFilters,
) {
  if (id !== undefined && key !== undefined) throw invalid('/key', 'does not go with id');
  const { byId, byKey } = await scenarios.of(projectId);
  const found = id === undefined ? byKey.get(key ?? '') : byId.get(id);
  if (!found) throw notFound('scenario');
  return made<Static<typeof ScenarioSchema>>(tagged(found));
}

function tagged(scenario: Scenario): { text: string; etag: string } {
  const text = JSON.stringify(scenarioView(scenario));
  return { text, etag: etagOf(scenario.version, text) };
}

/** Inputs with the stories that their tags name, and named stories that the project does not have. */
async function linked({ effective }: Quality, projectId: string, { inputs }: ScenarioInputs) {
  const { node } = await effective.of(projectId);
  const isStory = (id: string) => {
    const found = node(id);
    return found !== undefined && isNormative(found);
  };
  const all = inputs.map((input) => linkTags(input, isStory));
  const named = new Set(all.flatMap(({ storyIds = [] }) => storyIds));
  return { inputs: all, unknownStoryIds: [...named].filter((id) => !isStory(id)) };
}

function replyOf(
  written: readonly Written[],
  unknownStoryIds: string[],
  { single, findings }: ScenarioInputs,
) {
  const count = (outcome: Outcome) => written.filter((one) => one.outcome === outcome).length;
  const answer: Static<typeof WrittenSchema> = {
    items: written.map(({ outcome, scenario }) => ({ outcome, scenario: scenarioView(scenario) })),
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    unknownStoryIds,
    findings: [...findings],
  };
  const [first] = written;
  const one = single || written.length === 1 ? first?.scenario : undefined;
  const options = one ? { etag: tagged(one).etag } : {};
  if (answer.created === 0) return ok(answer, options);
  return created(answer, `/api/project-scenarios${one ? `?id=${one.id}` : ''}`, options);
}

function scenarioView(scenario: Scenario) {
  return {
    id: scenario.id,
    key: scenario.key,
    feature: scenario.feature,
    title: scenario.title,
    steps: scenario.steps,
    examples: scenario.examples,
    storyIds: scenario.storyIds,
    routes: scenario.routes,
    tags: scenario.tags,
    state: scenario.state,
    origin: scenario.origin,
    source: scenario.source,
    fingerprint: scenario.fingerprint,
    author: scenario.author,
    createdAt: timestamp(scenario.createdAt),
    updatedAt: timestamp(scenario.updatedAt),
    version: scenario.version,
  } as Static<typeof ScenarioSchema>;
}

function passesScenario(scenario: Scenario, filters: ScenarioFilters): boolean {
  const { state, origin, tags, storyIds, routes, feature, source } = filters;
  const among = (wanted: readonly string[] | undefined, value: string | null | undefined) =>
    wanted === undefined || (typeof value === 'string' && wanted.includes(value));
  const shares = (wanted: readonly string[] | undefined, values: readonly string[]) =>
    wanted === undefined || wanted.some((one) => values.includes(one));
  return (
    among(state, scenario.state) &&
    among(origin, scenario.origin) &&
    among(feature, scenario.feature) &&
    among(source, scenario.source?.path) &&
    shares(tags, scenario.tags) &&
    shares(storyIds, scenario.storyIds) &&
    shares(routes, scenario.routes)
  );
}
