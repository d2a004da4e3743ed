// What the operations of the requirements work with: the context, the graphs of revisions, and the
// effective ones.
import type { Services } from '../services.ts';
import { type EffectiveGraphs, openEffectiveGraphs } from './graph/effective.ts';
import { type Graphs, openGraphs } from './graph/graphs.ts';

export interface Requirements extends Services {
  graphs: Graphs;
  effective: EffectiveGraphs;
}

export function openRequirements<S extends Services>(services: S): S & Requirements {
  const graphs = openGraphs(services);
  return { ...services, graphs, effective: openEffectiveGraphs(services, graphs) };
}
