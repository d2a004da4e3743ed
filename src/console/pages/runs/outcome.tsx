import { grouped } from '../../core/format.ts';
import { failuresOf, type RunSummary } from './ask.ts';

/** How the results of a run are, in a few words. */
export function RunOutcome({ run }: { run: RunSummary }) {
  const { tests, passed, skipped, flaky } = run.totals;
  const failures = failuresOf(run);
  if (failures > 0)
    return (
      <span>
        <b class="failures">{grouped(failures)} failed</b> of {grouped(tests)}
      </span>
    );
  const [error] = run.harnessErrors;
  if (error) return <span class="second">{error.detail}</span>;
  const parts = [
    `${grouped(passed)} passed`,
    flaky > 0 && `${grouped(flaky)} flaky`,
    skipped > 0 && `${grouped(skipped)} skipped`,
  ];
  return <span class="second">{parts.filter(Boolean).join(', ')}</span>;
}
