// Routes that people write of: in the texts of stories and the steps of scenarios.
import type { Effective } from '../../requirements/graph/effective.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { routesInSteps } from '../scenarios/named-routes.ts';
import { SCENARIO_STEPS, STEPS_AT_A_TIME } from '../scenarios/rows.ts';
import type { ProjectScenarios } from '../scenarios/scenarios.ts';
import type { Steps } from '../turns.ts';
import { ROWS_MOST } from './candidate-model.ts';
import type { Observation } from './fold.ts';
import { createSightings } from './observations.ts';
import { routesNamedIn } from './route-text.ts';

/** Characters of stories that are looked at in one go, and what a story counts beside its own. */
const CHARACTERS_AT_A_TIME = 100_000;
const STORY_CHARACTERS = 500;

/** What stories name, as they are in force; the newest of what they are made of says when. */
export function* storySightings(effective: Effective): Steps<Observation[]> {
  const { index, revision, edits, additions } = effective;
  const times = [...edits, ...additions].map(({ updatedAt }) => updatedAt);
  const at = times.reduce((newest, one) => Math.max(newest, one), revision?.createdAt ?? 0);
  const sightings = createSightings();
  let looked = 0;
  let left = CHARACTERS_AT_A_TIME;
  for (const node of index.graph.nodes) {
    if (!isNormative(node)) continue;
    if (++looked > ROWS_MOST) break;
    const texts = [node.title, node.statement, ...node.acceptance];
    left -= texts.reduce((sum, text) => sum + text.length, STORY_CHARACTERS);
    if (left < 0) {
      yield;
      left = CHARACTERS_AT_A_TIME;
    }
    for (const text of texts) {
      for (const route of routesNamedIn(text))
        sightings.add('story', { ...route, at, storyIds: [node.id] });
    }
  }
  return sightings.list();
}

/** What the steps of scenarios in effect name, of the newest of them. */
export function* scenarioSightings({ inEffect }: ProjectScenarios): Steps<Observation[]> {
  const sightings = createSightings();
  let left = STEPS_AT_A_TIME;
  for (const scenario of inEffect.slice(-ROWS_MOST)) {
    if (scenario.state !== 'active') continue;
    left -= SCENARIO_STEPS + scenario.steps.length;
    if (left < 0) {
      yield;
      left = STEPS_AT_A_TIME;
    }
    const { updatedAt: at, storyIds } = scenario;
    for (const route of routesInSteps(scenario))
      sightings.add('scenario', { ...route, at, storyIds });
  }
  return sightings.list();
}
