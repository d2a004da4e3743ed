// Moves of an issue from status to status; an end asks how it ended.
import { useState } from 'preact/hooks';
import { api, dataOf, useAction } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { Card } from '../../parts/layout.tsx';
import { Refusal } from '../../parts/states.tsx';
import { type Issue, MOVES, type Status, UNRESOLVED } from './answers.ts';

const NAMES: Record<Status, string> = {
  open: 'Reopen',
  triaged: 'Triage',
  in_progress: 'Start work',
  resolved: 'Resolve',
  verified: 'Verify',
  closed: 'Close',
};

const RESOLUTIONS = ['fixed', 'wont_fix', 'invalid', 'duplicate'] as const;
type Resolution = (typeof RESOLUTIONS)[number];

interface MovesProps {
  issue: Issue;
  changed(): void;
}

/** @param end - asks how it ended */
export function Moves({ issue, changed, end }: MovesProps & { end(): void }) {
  const move = useAction(async (status: Status) => {
    await dataOf(patchOf(issue, { status }));
    changed();
  });
  const needsResolution = (status: Status) =>
    status === 'resolved' || (status === 'closed' && UNRESOLVED.includes(issue.status));
  return (
    <>
      {MOVES[issue.status].map((status, index) => (
        <button
          key={status}
          type="button"
          class={`button ${index === 0 ? 'primary' : ''}`}
          disabled={move.busy}
          onClick={() => (needsResolution(status) ? end() : void move.run(status))}
        >
          {NAMES[status]}
        </button>
      ))}
      <Refusal problem={move.problem} />
    </>
  );
}

export type IssueChanges = Parameters<ReturnType<ReturnType<typeof api>['issues']>['patch']>[0];

/** A change of an issue as it is shown: one that somebody else has changed meanwhile is refused. */
export function patchOf({ id, version }: Issue, changes: IssueChanges) {
  return api()
    .issues({ id })
    .patch(changes, { headers: { 'if-match': `"${version}"` } });
}

export function Ending({ issue, changed, close }: MovesProps & { close(): void }) {
  const [resolution, setResolution] = useState<Resolution>('fixed');
  const [build, setBuild] = useState('');
  const [original, setOriginal] = useState('');
  const end = useAction(async () => {
    const isDuplicate = resolution === 'duplicate';
    const number = Number(original.replace('#', ''));
    const found = isDuplicate ? await dataOf(api().issues.get({ query: { number } })) : undefined;
    await dataOf(
      patchOf(issue, {
        status: isDuplicate ? 'closed' : 'resolved',
        resolution,
        ...(resolution === 'fixed' && build && { fixedInBuild: build }),
        ...(found && 'id' in found && { duplicateOf: found.id }),
      }),
    );
    close();
    changed();
  });
  return (
    <Card title={`Resolve #${issue.number}`}>
      <form
        class="inside stack ending"
        onSubmit={(event) => {
          event.preventDefault();
          void end.run();
        }}
      >
        <label class="field">
          How
          <select
            class="input"
            value={resolution}
            onChange={({ currentTarget }) => setResolution(currentTarget.value as Resolution)}
          >
            {RESOLUTIONS.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </select>
        </label>
        {resolution === 'fixed' && (
          <label class="field">
            Fixed in build
            <input
              class="input"
              value={build}
              onInput={({ currentTarget }) => setBuild(currentTarget.value)}
            />
          </label>
        )}
        {resolution === 'duplicate' && (
          <label class="field">
            Number of the issue that it repeats
            <input
              class="input"
              required
              pattern="#?[0-9]+"
              value={original}
              onInput={({ currentTarget }) => setOriginal(currentTarget.value)}
            />
          </label>
        )}
        <Refusal problem={end.problem} />
        <div class="line">
          <button type="submit" class="button primary" disabled={end.busy}>
            Resolve
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Card>
  );
}
