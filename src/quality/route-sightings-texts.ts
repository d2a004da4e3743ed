// Routes that people write of: in the texts of stories and the steps of scenarios.
import type { Effective } from '../requirements/effective.ts';
import { isNormative } from '../requirements/graph/model.ts';
import { ROWS_MOST } from './route-candidate-model.ts';
import { createSightings } from './route-sightings.ts';
import { routesNamedIn } from './route-text.ts';
import type { Observation } from './routes/fold.ts';
import { routesInSteps } from './scenario-routes-named.ts';
import type { ProjectScenarios } from './scenarios.ts';
import type { Steps } from './turns.ts';

const STEP = 200;

/** What stories name, as they are in force; the newest of what they are made of says when. */
export function* storySightings(effective: Effective): Steps<Observation[]> {
  const { index, revision, edits, additions } = effective;
  const times = [...edits, ...additions].map(({ updatedAt }) => updatedAt);
  const at = times.reduce((newest, one) => Math.max(newest, one), revision?.createdAt ?? 0);
  const sightings = createSightings();
  let looked = 0;
  for (const node of index.graph.nodes) {
    if (!isNormative(node)) continue;
    if (++looked > ROWS_MOST) break;
    if (looked % STEP === 0) yield;
    const texts = [node.title, node.statement, ...node.acceptance];
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
  let looked = 0;
  for (const scenario of inEffect.slice(-ROWS_MOST)) {
    if (++looked % STEP === 0) yield;
    if (scenario.state !== 'active') continue;
    const { updatedAt: at, storyIds } = scenario;
    for (const route of routesInSteps(scenario))
      sightings.add('scenario', { ...route, at, storyIds });
  }
  return sightings.list();
}
