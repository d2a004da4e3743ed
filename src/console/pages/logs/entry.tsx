// One entry: all that it says, where it belongs, and what was made of it.
import { type Answer, api, dataOf, useAction, useAnswer } from '../../core/api.ts';
import { counted, minute } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Card } from '../../parts/layout.tsx';
import { Load, Refusal } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import type { LogEntry } from './answers.ts';

interface EntryProps {
  id: string;
  /** Where the list is alone. */
  close: string;
}

export function Entry({ id, close }: EntryProps) {
  const answer = useAnswer(
    () => api()['system-logs'].get({ query: { id } }),
    [id],
  ) as Answer<LogEntry>;
  return (
    <Card
      title="Entry"
      class="one-entry"
      aside={
        <a href={close} aria-label="Close the entry">
          Close
        </a>
      }
    >
      <div class="inside stack">
        <Load answer={answer}>{(entry) => <Shown entry={entry} changed={answer.reload} />}</Load>
      </div>
    </Card>
  );
}

function Shown({ entry, changed }: { entry: LogEntry; changed(): void }) {
  const { at, level, source, message, fields, route, runId, issueId, occurrences } = entry;
  return (
    <>
      <p class="line">
        <span class="tag plain">
          <SeverityIcon severity={level} size="small" /> {level}
        </span>
        <span class="small second">{source}</span>
      </p>
      <p class="code entry-message">{message}</p>
      <dl class="fields">
        <dt>At</dt>
        <dd>
          {minute(at)}:{at.slice(17, 23)} UTC
        </dd>
        <dt>Alike</dt>
        <dd>
          <a class="link" href={href('logs', [], { fingerprint: entry.fingerprint })}>
            {counted(occurrences, 'entry', 'entries')}
          </a>
        </dd>
        {route && (
          <>
            <dt>Route</dt>
            <dd class="mono">{route}</dd>
          </>
        )}
        {runId && (
          <>
            <dt>Run</dt>
            <dd>
              <a class="link mono" href={href('runs', runId)}>
                {runId}
              </a>
            </dd>
          </>
        )}
        {issueId && (
          <>
            <dt>Issue</dt>
            <dd>
              <a class="link mono" href={href('issues', issueId)}>
                {issueId}
              </a>
            </dd>
          </>
        )}
        <dt>State</dt>
        <dd>{entry.state}</dd>
        {entry.note && (
          <>
            <dt>Note</dt>
            <dd>{entry.note}</dd>
          </>
        )}
      </dl>
      {fields && Object.keys(fields).length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <pre class="code" tabIndex={0}>
          {JSON.stringify(fields, null, 2)}
        </pre>
      )}
      {useMay('PATCH /system-logs') && <States entry={entry} changed={changed} />}
    </>
  );
}

const STATES = { acknowledged: 'Acknowledge', resolved: 'Resolve', open: 'Reopen' } as const;

function States({ entry: { id, state }, changed }: { entry: LogEntry; changed(): void }) {
  const settle = useAction(async (to: LogEntry['state']) => {
    await dataOf(api()['system-logs'].patch({ id, state: to }));
    changed();
  });
  return (
    <>
      <div class="line">
        {(Object.keys(STATES) as LogEntry['state'][])
          .filter((one) => one !== state)
          .map((one) => (
            <button
              key={one}
              type="button"
              class="button compact"
              disabled={settle.busy}
              onClick={() => void settle.run(one)}
            >
              {STATES[one]}
            </button>
          ))}
      </div>
      <Refusal problem={settle.problem} />
    </>
  );
}
