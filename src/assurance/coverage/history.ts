// How many stories had each status, by day and by commit. No write counts them: a row is made when it
// is asked where the stories stand after a change, and now and then where nobody asks.
import { type Static, Type } from '@sinclair/typebox';
import { and, desc, eq, lt } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { nullable, oneOf, pageSchema, timeOf } from '../../model/schemas.ts';
import { listRunRows } from '../../quality/runs/runs.ts';
import { contentVersion, readContentVersions } from '../../requirements/projects/projects.ts';
import type { Services } from '../../services.ts';
import type { Db } from '../../store/database.ts';
import { storyStatuses } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { COVERAGE_STATUSES, type CoverageStatus } from './model.ts';

const Count = Type.Integer({ minimum: 0 });

export const HistoryStep = oneOf(
  storyStatuses.step.enumValues,
  'With `view=statuses`: `day` by default',
);
export type HistoryStep = Static<typeof HistoryStep>;

export const StatusHistory = pageSchema(
  'StatusHistory',
  Type.Object({
    day: nullable(Type.String({ documentedFormat: 'date', description: 'In UTC' })),
    commit: nullable(Type.String({ description: 'Of the newest run that counted then' })),
    at: timeOf('When they were last counted'),
    revision: Count,
    total: Count,
    statuses: Type.Unsafe<Record<CoverageStatus, number>>(
      Type.Object(Object.fromEntries(COVERAGE_STATUSES.map((status) => [status, Count]))),
    ),
  }),
);
type StatusPoint = Static<typeof StatusHistory>['items'][number];

interface Counted extends Pick<Services, 'clock' | 'database' | 'log'> {
  stateOf(projectId: string): Promise<AssuranceState>;
}

export type StatusRecorder = ReturnType<typeof openStatusRecorder>;

export function openStatusRecorder({ clock, database, log, stateOf }: Counted) {
  /** Of each project the content version that was counted last, and what was written of it. */
  const counted = new Map<string, { version: number | undefined; written: string }>();

  async function count(projectId: string, version: number): Promise<void> {
    const state = await stateOf(projectId);
    await state.coverage().ready();
    const [run] = await listRunRows(database.read, projectId, {}, { limit: 1, counting: true });
    const shares = Object.entries(state.coverage().summary.statuses);
    const counts = Object.fromEntries(shares.map(([status, share]) => [status, share.count]));
    const at = clock();
    const revision = state.effective.revision?.number ?? 0;
    const names = [{ step: 'day' as const, name: timestamp(at).slice(0, 10) }];
    const points = run?.commitId
      ? [...names, { step: 'commit' as const, name: run.commitId }]
      : names;
    const written = JSON.stringify([points, revision, counts]);
    const isNew = counted.get(projectId)?.written !== written;
    counted.set(projectId, { version, written });
    if (!isNew) return;
    const { projectId: ofProject, step, name } = storyStatuses;
    const set = { at, revision, version, counts };
    await database.write(async (tx) => {
      for (const point of points)
        await tx
          .insert(storyStatuses)
          .values({ projectId, ...point, ...set })
          .onConflictDoUpdate({ target: [ofProject, step, name], set });
    });
  }

  /** Counts the stories of a project, unless they were after its last change; never throws. */
  return async (projectId: string): Promise<void> => {
    try {
      const version = contentVersion(await readContentVersions(database, projectId));
      const last = counted.get(projectId) ?? {
        version: await lastVersion(database.read, projectId),
        written: '',
      };
      counted.set(projectId, last);
      // Nothing was ever brought to a project of version 0.
      if (last.version !== version && version > 0) await count(projectId, version);
    } catch (err) {
      counted.delete(projectId);
      log.warn({ err }, 'the statuses of stories were not counted');
    }
  };
}

async function lastVersion(db: Db, ofProject: string): Promise<number | undefined> {
  const { projectId, step, seq, version } = storyStatuses;
  const [row] = await db
    .select({ version })
    .from(storyStatuses)
    .where(and(eq(projectId, ofProject), eq(step, 'day')))
    .orderBy(desc(seq))
    .limit(1);
  return row?.version;
}

/** The newest first, with one more than the limit; `behind`: the `seq` of the row seen last. */
export async function listStatuses(
  db: Db,
  ofProject: string,
  by: HistoryStep,
  behind: number | undefined,
  limit: number,
) {
  const { projectId, step, seq } = storyStatuses;
  return db
    .select()
    .from(storyStatuses)
    .where(
      and(
        eq(projectId, ofProject),
        eq(step, by),
        behind === undefined ? undefined : lt(seq, behind),
      ),
    )
    .orderBy(desc(seq))
    .limit(limit + 1);
}

export function statusPoint({
  step,
  name,
  at,
  revision,
  counts,
}: typeof storyStatuses.$inferSelect): StatusPoint {
  return {
    day: step === 'day' ? name : null,
    commit: step === 'commit' ? name : null,
    at: timestamp(at),
    revision,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    statuses: counts as StatusPoint['statuses'],
  };
}
