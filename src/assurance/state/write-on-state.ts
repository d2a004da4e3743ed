// Writing what the rules of the whole project decide: its state is kept in memory, so a write first
// makes sure that the graph of it is still that of the database.
import { desc, eq } from 'drizzle-orm';
import { actorOf, type Caller } from '../../access/caller.ts';
import type { Call } from '../../http/api/endpoint.ts';
import type { Reply } from '../../http/api/reply.ts';
import { Overtaken, onceOrAlone, untilCurrent } from '../../model/write-conflict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import type { Editor } from '../../requirements/overlay/edits.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Db } from '../../store/database.ts';
import { validations } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import type { AssuranceState } from './state.ts';

/** The caller as an editor. */
export function editorOf({ caller, now }: Pick<Call, 'caller' | 'now'>): Editor {
  return { ...deciderOf(caller), now };
}

/** The caller as one who decides. */
export function deciderOf(caller: Caller): Omit<Editor, 'now'> {
  return { actor: actorOf(caller), owner: caller.capability === 'project:owner' };
}

/** What a write changes of the state. */
export type Changed = 'overlays' | 'traces' | 'validations';

/**
 * Writes on the state of the caller's project, and again on a newer one where another write came
 * between. What changes the graph or the verdicts waits for its turn: of many such writes that are
 * begun on one state, the first would overtake all others.
 *
 * @param changes - what of the state is another one afterwards
 * @param work - inside the write; sees the graph as the database has it
 */
export async function writeOnState(
  { states, effective }: Assurance,
  call: Call<unknown, unknown>,
  changes: readonly Changed[],
  work: (db: Db, state: AssuranceState) => Promise<Reply>,
): Promise<Reply> {
  const { projectId } = call.caller;
  const alone = (wait: () => Promise<Reply>) => effective.alone(projectId, wait);
  const overtakes = changes.some((part) => part !== 'traces');
  return overtakes ? alone(() => untilCurrent(attempt)) : onceOrAlone(alone, attempt);

  async function attempt(): Promise<Reply> {
    const state = await states.of(projectId);
    try {
      return await call.write(async (db) => {
        await requireCurrent(db, state.effective);
        if (changes.includes('validations'))
          await requireVerdicts(db, projectId, state.verdictClock);
        return work(db, state);
      });
    } catch (error) {
      if (error instanceof Overtaken) effective.changed(projectId);
      throw error;
    } finally {
      if (changes.includes('overlays')) effective.changed(projectId);
    }
  }
}

/** @throws Overtaken where the graph of the database is another one */
export async function requireCurrent(db: Db, { projectId, ...known }: Effective): Promise<void> {
  const project = await getProject(db, projectId);
  const clock = await overlayClock(db, projectId);
  if (project.revision !== (known.revision?.number ?? 0) || clock !== known.overlayClock)
    throw new Overtaken('the state has changed');
}

/**
 * New verdicts follow from those there are, so there must be no other by now.
 *
 * @throws Overtaken where there is one
 */
export async function requireVerdicts(
  db: Db,
  projectId: string,
  verdictClock: number,
): Promise<void> {
  if ((await newestVerdict(db, projectId)) !== verdictClock)
    throw new Overtaken('there are other verdicts');
}

/** Counts up with every verdict of a project. */
export async function newestVerdict(db: Db, projectId: string): Promise<number> {
  const [newest] = await db
    .select({ seq: validations.seq })
    .from(validations)
    .where(eq(validations.projectId, projectId))
    .orderBy(desc(validations.seq))
    .limit(1);
  return newest?.seq ?? 0;
}
