// An owner cancels runs: one that an agent holds ends when the agent learns of it.
import { useState } from 'preact/hooks';
import { api, dataOf, useAction } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { useMe } from '../../frame/caller.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/states.tsx';
import type { RunState } from './follow.ts';

interface CancelRunsProps {
  runs: readonly RunState[];
  /** Whose they are. */
  of: string;
}

export function CancelRuns({ runs, of }: CancelRunsProps) {
  const { capabilities, readOnly } = useMe().caller;
  const [asking, setAsking] = useState(false);
  const cancel = useAction(async () => {
    setAsking(false);
    for (const { runId } of runs)
      await dataOf(api()['run-state'].post({ runId, state: 'cancelled' }));
  });
  if (readOnly || !capabilities.includes('project:owner')) return null;
  if (runs.every(({ cancelRequested }) => cancelRequested))
    return <span class="tag suspect">asked to stop</span>;
  return (
    <>
      <button
        type="button"
        class="button compact"
        disabled={cancel.busy}
        onClick={() => setAsking(true)}
      >
        Cancel
      </button>
      <Refusal problem={cancel.problem} />
      {asking && (
        <Confirm
          title={`Cancel ${counted(runs.length, 'run')} of ${of}`}
          action="Cancel them"
          run={() => void cancel.run()}
          close={() => setAsking(false)}
        >
          <p>The agent stops at its next sign of life. What it reports later does not count.</p>
        </Confirm>
      )}
    </>
  );
}
