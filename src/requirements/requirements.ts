// What the operations of the requirements work with: the context, the graphs of revisions, and the
// effective ones.
import type { Context } from '../http/api/context.ts';
import { type EffectiveGraphs, openEffectiveGraphs } from './graph/effective.ts';
import { type Graphs, openGraphs } from './graph/graphs.ts';

export interface Requirements extends Context {
  graphs: Graphs;
  effective: EffectiveGraphs;
}

/** Opens the requirements. */
export function openRequirements<C extends Context>(context: C): C & Requirements {
  const graphs = openGraphs(context);
  return { ...context, graphs, effective: openEffectiveGraphs(context, graphs) };
}
