// Routes of the scenarios.
import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { asksForNew, etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { retryOnConflict, WriteConflict } from '../../model/write-conflict.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { linkTags } from '../../requirements/sources/item-ids.ts';
import { passing } from '../keyed-page.ts';
import type { Quality } from '../quality.ts';
import { type ScenarioWishes, scenarioBody } from './body.ts';
import { type Scenario, type ScenarioFilters, ScenarioQuery } from './model.ts';
import { placeOfNext } from './places.ts';
import type { ProjectScenarios } from './scenarios.ts';
import { passesScenario, scenarioView } from './views.ts';
import { OUTCOMES, type Outcome, type Written, writeScenarios } from './write.ts';

export function readScenariosRoute(quality: Quality) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).SCENARIO_DOCS.read,
    query: ScenarioQuery,
    async handler(call): Promise<Reply> {
      const { query, caller } = call;
      const known = await quality.scenarios.of(caller.projectId);
      const { byId, byKey } = known;
      if (query.id === undefined && query.key === undefined) return pageReply(quality, call, known);
      if (query.id !== undefined && query.key !== undefined)
        throw invalid('/key', 'does not go with id');
      const found = query.id === undefined ? byKey.get(query.key ?? '') : byId.get(query.id);
      if (!found) throw notFound('scenario');
      return ok(undefined, tagged(found));
    },
  });
}

function tagged(scenario: Scenario): { text: string; etag: string } {
  const text = JSON.stringify(scenarioView(scenario));
  return { text, etag: etagOf(scenario.version, text) };
}

async function pageReply(
  quality: Quality,
  { query, caller, request }: Call<ScenarioFilters, undefined>,
  known: ProjectScenarios,
): Promise<Reply> {
  const filters = filterHash('listScenarios', query);
  const seen = decodeAnchored(filters, query.cursor);
  const from = seen ? await placeOfNext(quality, caller.projectId, known, seen) : 0;
  const limit = query.limit ?? PAGE_DEFAULT;
  const { keys, items } = known.listed;
  const rows = passing(items, from, limit, (one) => passesScenario(one, query));
  const page = pageOf(
    rows,
    limit,
    filters,
    ({ at }) => keys[at] ?? at,
    ({ item }) => scenarioView(item),
    () => String(known.revision),
  );
  return ok(page, { headers: nextLink(request, page) });
}

/** Scenarios to write, as the graph sees them. */
interface LinkedWishes extends Pick<ScenarioWishes, 'wishes'> {
  /** Stories that they name and that are none of the project. */
  unknownStoryIds: string[];
}

export function writeScenariosRoute(quality: Quality) {
  const { effective, scenarios, tokens } = quality;
  return endpoint({
    docs: async () => (await import('./docs.ts')).SCENARIO_DOCS.write,
    body: scenarioBody,
    handler(call): Promise<Reply> {
      const { projectId } = call.caller;
      return retryOnConflict(async () => writeOn(call, await linked(projectId, call.body)));
    },
  });

  /** The wishes with the stories that their tags name, and named stories that are none. */
  async function linked(projectId: string, { wishes }: ScenarioWishes): Promise<LinkedWishes> {
    const { node } = await effective.of(projectId);
    const isStory = (id: string) => {
      const found = node(id);
      return found !== undefined && isNormative(found);
    };
    const all = wishes.map((wish) => (wish.line === undefined ? wish : linkTags(wish, isStory)));
    const named = new Set(all.flatMap(({ storyIds = [] }) => storyIds));
    return { wishes: all, unknownStoryIds: [...named].filter((id) => !isStory(id)) };
  }

  async function writeOn(
    call: Call<unknown, ScenarioWishes>,
    { wishes, unknownStoryIds }: LinkedWishes,
  ): Promise<Reply> {
    const { caller, now, body, request } = call;
    const { projectId } = caller;
    const onlyNew = asksForNew(request.headers.get('if-none-match'));
    const { byKey } = await scenarios.of(projectId);
    const known = tokens.project(projectId)?.revision ?? 0;
    return call.write(async (db) => {
      const { revision } = await getProject(db, projectId);
      if (revision !== known) throw new WriteConflict('there is a newer revision');
      const written = await writeScenarios(db, {
        ...{ projectId, wishes, onlyNew, actor: actorOf(caller), now },
        sourceOf(key) {
          const scenario = byKey.get(key);
          return scenario?.origin === 'source' ? scenario : undefined;
        },
      });
      return replyOf(written, unknownStoryIds, body);
    });
  }
}

function replyOf(
  written: readonly Written[],
  unknownStoryIds: readonly string[],
  { single, findings }: ScenarioWishes,
): Reply {
  const counts = Object.fromEntries(
    OUTCOMES.map((one) => [one, written.filter(({ outcome }) => outcome === one).length]),
  ) as Record<Outcome, number>;
  const items = written.map(({ outcome, scenario }) => ({
    outcome,
    scenario: scenarioView(scenario),
  }));
  const answer = { items, ...counts, unknownStoryIds, findings };
  const [first] = written;
  const one = single || written.length === 1 ? first?.scenario : undefined;
  const options = one ? { etag: tagged(one).etag } : {};
  if (counts.created === 0) return ok(answer, options);
  const query = one ? `?id=${one.id}` : '';
  return created(answer, `/api/project-scenarios${query}`, options);
}
