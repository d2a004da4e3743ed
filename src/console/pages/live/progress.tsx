// How far a run is: its bar, and what it does now.
import { duration } from '../../core/format.ts';
import { Progress } from '../../parts/layout.tsx';
import type { RunState } from './follow.ts';

interface RunProgressProps {
  run: RunState & { estimateMs?: number | null };
}

export function RunProgress({ run }: RunProgressProps) {
  const { progress, state } = run;
  if (!progress?.total) return <span class="far second">{state}</span>;
  const { done, total } = progress;
  return (
    <span class="far">
      <Progress done={done ?? 0} total={total} name={`Progress of ${run.name ?? run.runId}`} />
      <span class="number second">
        {done ?? 0} of {total}
      </span>
    </span>
  );
}

/** What a run does now, or how long it should take once it begins. */
export function doing({ progress, state, estimateMs, message }: RunProgressProps['run']): string {
  if (progress?.current) return progress.current;
  if (message) return message;
  if (state === 'queued') return estimateMs ? `waits, about ${duration(estimateMs)}` : 'waits';
  return '';
}
