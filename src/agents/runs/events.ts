// The changes of runs as a stream: a reader that lags behind gets the newest state of each run.
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import {
  EVENTS_READ,
  type EventStreams,
  openEventStreams,
  type StreamEvent,
} from '../../model/event-streams.ts';
import { prepared } from '../../store/client/drizzle.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { runStateView } from './model.ts';
import { type LeasedRun, newestChange } from './rows.ts';

export type RunEvents = EventStreams<RunStateRow>;

const p = sql.placeholder;

const changedRuns = prepared((db) =>
  db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(and(eq(runStates.projectId, p('projectId')), gt(runStates.change, p('change'))))
    .orderBy(asc(runStates.change))
    .limit(EVENTS_READ)
    .prepare(),
);

export function openRunEvents(assurance: Assurance): RunEvents {
  const { read: db } = assurance.database;
  return openEventStreams<RunStateRow>(assurance, {
    name: 'changes of runs',
    newest: (projectId) => newestChange(db, projectId),
    read: async (projectId, change) =>
      (await changedRuns(db).all({ projectId, change })).map(eventOf),
  });
}

function eventOf({ run, lease }: LeasedRun): StreamEvent<RunStateRow> {
  const data = JSON.stringify(runStateView(run, lease));
  const text = `id: ${run.change}\nevent: run-state\ndata: ${data}\n\n`;
  return { position: run.change, row: run, text };
}
