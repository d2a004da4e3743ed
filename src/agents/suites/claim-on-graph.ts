// Claims pin what the stories of a command say at that moment: the graph that is kept in memory is
// made sure to be that of the database, inside the write.
import type { Call } from '../../http/api/endpoint.ts';
import type { Reply } from '../../http/api/reply.ts';
import { Overtaken, onceOrAlone } from '../../model/write-conflict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Db } from '../../store/database.ts';
import type { Agents } from '../agents.ts';

/**
 * Writes on the effective graph of the caller's project, and again on a newer one where another
 * write came between.
 *
 * @param work - inside the write; sees the graph as the database has it
 */
export async function writeOnGraph(
  { effective }: Pick<Agents, 'effective'>,
  call: Call<unknown, unknown>,
  work: (db: Db, effective: Effective) => Promise<Reply>,
): Promise<Reply> {
  const { projectId } = call.caller;
  return onceOrAlone((wait) => effective.alone(projectId, wait), attempt);

  async function attempt(): Promise<Reply> {
    const graph = await effective.of(projectId);
    return call.write(async (db) => {
      const { revision } = await getProject(db, projectId);
      const clock = await overlayClock(db, projectId);
      if (revision !== (graph.revision?.number ?? 0) || clock !== graph.overlayClock) {
        effective.changed(projectId);
        throw new Overtaken('the graph has changed');
      }
      return work(db, graph);
    });
  }
}

/** What a run pins of the requirements, as its row holds it. */
export interface Pinned {
  revision: number;
  overlayClock: number;
  /** `{ storyId: [fingerprint, deepFingerprint] }` as JSON. */
  pins: string;
}

/** What a run pins of these stories; those that are not there are left out. */
export function pinStories(
  graph: Pick<Effective, 'revision' | 'overlayClock' | 'node'>,
  storyIds: readonly string[],
): Pinned {
  const pins: [string, [string, string]][] = [];
  for (const id of storyIds) {
    const node = graph.node(id);
    if (node) pins.push([id, [node.fingerprint, node.deepFingerprint]]);
  }
  return {
    revision: graph.revision?.number ?? 0,
    overlayClock: graph.overlayClock,
    pins: JSON.stringify(Object.fromEntries(pins)),
  };
}
