// The application in this process over a libSQL server as a target.
import { openInProcessTarget } from './in-process-target.ts';
import { startPrimary, startReplica } from './sqld.ts';
import type { Target } from './target.ts';

/** Over a primary. */
export async function openPrimaryTarget(): Promise<Target> {
  const primary = await startPrimary();
  return openInProcessTarget({ 'database-url': primary.url });
}

/** Over a replica, which hands writes on to its primary and gets them back a moment later. */
export async function openReplicaTarget(): Promise<Target> {
  const replica = await startReplica(await startPrimary());
  return openInProcessTarget({ 'database-url': replica.url });
}
