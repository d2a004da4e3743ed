// Writes that rest on the state of a whole project: it was read before, so each makes sure first that
// the graph, and the verdicts where it adds some, are still those of the database.
import { desc, eq } from 'drizzle-orm';
import { actorOf, type Caller } from '../../access/caller.ts';
import { retryOnConflict, serialized, WriteConflict } from '../../model/write-conflict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import type { Editor } from '../../requirements/overlay/edits.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Tx } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { validations } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import type { AssuranceState } from './state.ts';

export function editorOf({ caller, now }: { caller: Caller; now: number }): Editor {
  return { ...deciderOf(caller), now };
}

export function deciderOf(caller: Caller): Omit<Editor, 'now'> {
  return { actor: actorOf(caller), owner: caller.capability === 'project:owner' };
}

export type Changed = 'overlays' | 'traces' | 'validations';

interface Writer<R> {
  caller: Pick<Caller, 'projectId'>;
  write(work: (tx: Tx) => Promise<R>): Promise<R>;
}

/**
 * Works on the state of the caller's project, and again on a newer one where another write came between.
 * What changes the graph or the verdicts waits for its turn: of many such writes that are begun on one
 * state, the first would make all others begin anew.
 */
export async function writeOnState<R>(
  { states, effective }: Assurance,
  request: Writer<NoInfer<R>>,
  changes: readonly Changed[],
  work: (tx: Tx, state: AssuranceState) => Promise<R>,
): Promise<R> {
  const { projectId } = request.caller;
  const alone = (wait: () => Promise<R>) => effective.alone(projectId, wait);
  const attempt = async () => {
    const state = await states.of(projectId);
    return request.write(async (tx) => {
      await requireCurrent(tx, state.effective);
      if (changes.includes('validations')) await requireVerdicts(tx, projectId, state.verdictClock);
      return work(tx, state);
    });
  };
  const waits = changes.some((part) => part !== 'traces');
  return waits ? alone(() => retryOnConflict(attempt)) : serialized(alone, attempt);
}

/** @throws WriteConflict where the graph of the database is another one */
export async function requireCurrent(db: Db, { projectId, ...known }: Effective): Promise<void> {
  const project = await getProject(db, projectId);
  const clock = await overlayClock(db, projectId);
  if (project.revision !== (known.revision?.number ?? 0) || clock !== known.overlayClock)
    throw new WriteConflict('the state has changed');
}

/** @throws WriteConflict where there are other verdicts than those that new ones follow from */
export async function requireVerdicts(
  db: Db,
  projectId: string,
  verdictClock: number,
): Promise<void> {
  if ((await newestVerdict(db, projectId)) !== verdictClock)
    throw new WriteConflict('there are other verdicts');
}

export async function newestVerdict(db: Db, projectId: string): Promise<number> {
  const [newest] = await db
    .select({ seq: validations.seq })
    .from(validations)
    .where(eq(validations.projectId, projectId))
    .orderBy(desc(validations.seq))
    .limit(1);
  return newest?.seq ?? 0;
}
