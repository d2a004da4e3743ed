// What the operations of the requirements work with: the context, and the graphs of revisions.
import type { Context } from '../http/context.ts';
import { type Graphs, openGraphs } from './graphs.ts';

export interface Requirements extends Context {
  graphs: Graphs;
}

/** Opens the requirements. */
export function openRequirements(context: Context): Requirements {
  return { ...context, graphs: openGraphs(context) };
}
