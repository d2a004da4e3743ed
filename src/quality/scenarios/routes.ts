// Routes of the scenarios.
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { bodyOf, entriesBody, readJson } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, made, nextLink, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { retryOnConflict, WriteConflict } from '../../model/write-conflict.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { linkTags } from '../../requirements/sources/item-ids.ts';
import { firstBehind, passing, revisionOfCursor } from '../lists.ts';
import type { Quality } from '../quality.ts';
import {
  MAX_SCENARIOS,
  Scenario,
  ScenarioBody,
  type ScenarioFilters,
  ScenarioPage,
  ScenarioQuery,
  ScenariosWritten,
} from './model.ts';
import {
  GherkinText,
  readGherkinText,
  type ScenariosSent,
  tidyScenarios,
  writeScenarios,
} from './write.ts';

const GHERKIN = 'text/x-gherkin';
const entries = entriesBody(ScenarioBody, () => MAX_SCENARIOS);

const scenarioBody = bodyOf({
  mediaTypes: ['application/json', GHERKIN],
  limitOf: (limits, mediaType) =>
    mediaType === GHERKIN ? limits.importBytes : limits.jsonBodyBytes,
  parse: (bytes, mediaType) => (mediaType === GHERKIN ? readGherkinText(bytes) : readJson(bytes)),
  check(value, limits): ScenariosSent {
    const isText = value instanceof GherkinText;
    const given = isText ? value.scenarios : entries.check(value, limits);
    return {
      inputs: tidyScenarios(given),
      isList: isText || Array.isArray(value),
      findings: isText ? value.findings : [],
    };
  },
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
        if (query.id !== undefined) return readScenario(quality, projectId, query.id);
        const filters = filterHash('listScenarios', query);
        const seen = decodeAnchored(filters, query.cursor);
        const latest = quality.tokens.project(projectId)?.revision ?? 0;
        const asked = revisionOfCursor(seen?.anchor, latest);
        const { listed, revision } = await quality.scenarios.of(projectId, asked);
        const { keys, items } = listed;
        const from = seen ? firstBehind(keys.length, (at) => (keys[at] ?? 0) > seen.key) : 0;
        const limit = query.limit ?? PAGE_DEFAULT;
        const page = pageOf(
          passing(items, from, limit, (one) => passes(one, query)),
          limit,
          filters,
          ({ at }) => keys[at] ?? at,
          ({ item }) => item,
          () => String(revision),
        );
        return ok(page, { headers: nextLink(request, page) });
      },
      {
        operation: { id: 'listScenarios', docs: SCENARIO_DOCS.read },
        query: queryOf(ScenarioQuery),
        response: answers({ 200: Type.Union([ScenarioPage, Scenario]) }),
      },
    )
    .post(
      '',
      ({ caller, now, body, write }) =>
        retryOnConflict(async () => {
          const { projectId } = caller;
          const { sent, unknownStoryIds } = await linked(quality, projectId, body);
          const latest = quality.tokens.project(projectId)?.revision ?? 0;
          const sources = await quality.scenarios.ofSources(projectId);
          return write(async (db) => {
            const { revision } = await getProject(db, projectId);
            if (revision !== latest) throw new WriteConflict('there is a newer revision');
            const by = { projectId, actor: actorOf(caller), now };
            const items = await writeScenarios(db, by, sent, sources);
            return replyOf(items, unknownStoryIds, sent);
          });
        }),
      {
        operation: { id: 'writeScenarios', docs: SCENARIO_DOCS.write },
        query: noQuery,
        body: scenarioBody,
        response: answers({ 200: ScenariosWritten, 201: ScenariosWritten }),
      },
    );

async function readScenario({ scenarios }: Quality, projectId: string, id: string) {
  const found = (await scenarios.of(projectId)).byId.get(id);
  if (!found) throw notFound('scenario');
  const text = JSON.stringify(found);
  return made<Static<typeof Scenario>>({ text, etag: etagOf(found.version, text) });
}

/** What was sent with the stories that its tags name, and named stories that the project does not have. */
async function linked({ effective }: Quality, projectId: string, sent: ScenariosSent) {
  const { node } = await effective.of(projectId);
  const isStory = (id: string) => {
    const found = node(id);
    return found !== undefined && isNormative(found);
  };
  const inputs = sent.inputs.map((input) => linkTags(input, isStory));
  const named = new Set(inputs.flatMap(({ storyIds = [] }) => storyIds));
  const unknownStoryIds = [...named].filter((id) => !isStory(id));
  return { sent: { ...sent, inputs }, unknownStoryIds };
}

function replyOf(
  items: ScenariosWritten['items'],
  unknownStoryIds: string[],
  { isList, findings }: ScenariosSent,
) {
  const answer: ScenariosWritten = { items, unknownStoryIds, findings };
  const one = !isList || items.length === 1 ? items[0]?.scenario : undefined;
  const options = one ? { etag: etagOf(one.version, JSON.stringify(one)) } : {};
  if (items.every(({ outcome }) => outcome !== 'created')) return ok(answer, options);
  return created(answer, `/api/project-scenarios${one ? `?id=${one.id}` : ''}`, options);
}

const FILTERS = [
  'key',
  'state',
  'origin',
  'feature',
  'source',
  'tags',
  'storyIds',
  'routes',
] as const;

function passes(scenario: Scenario, filters: ScenarioFilters): boolean {
  const values = { ...scenario, source: scenario.source?.path ?? null };
  return FILTERS.every((name) => {
    const wanted: readonly (string | null)[] | undefined = filters[name];
    return !wanted || [values[name]].flat().some((value) => wanted.includes(value));
  });
}

const SCENARIO_DOCS = {
  read: {
    description:
      'First the scenarios of the Gherkin files of the latest revision, in source order, then those that were written ' +
      'here, the newest last; `id` answers one bare. The id of a scenario of the sources follows from its key, ' +
      'its `version` is the number of the revision.',
    replies: {
      200: {
        description: 'A page of scenarios, or one scenario',
        headers: ['ETag', 'Link'],
      },
    },
  },
  write: {
    description:
      `Writes a scenario, a list of up to ${MAX_SCENARIOS}, or a feature as Gherkin text with as many, by their keys: all ` +
      'of them or none. Gherkin is read as a source is (`@GET:/orders/{id}` declares a route); text that cannot be read is ' +
      '`422` with its lines. The key of a scenario of the sources is `409`, unless it says the same: it is changed there.',
    bodyExample: {
      key: 'Checkout / Paying by invoice',
      steps: [{ keyword: 'When', text: 'the customer pays by invoice' }],
      storyIds: ['US-12'],
      routes: ['POST /orders'],
    },
    bodyExamples: {
      'text/x-gherkin':
        'Feature: Checkout\n\n  @US-12 @payment\n  Scenario: Paying by invoice\n    When the customer pays by invoice\n',
    },
    replies: {
      200: { description: 'None of them was new', headers: ['ETag'] },
      201: {
        description: 'What became of each; the entity tag is that of a single one',
        headers: ['ETag'],
      },
    },
  },
} satisfies Record<string, OperationDocs>;
