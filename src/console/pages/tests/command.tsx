// The command that runs a test, and its quarantine: it still runs, but does not gate until a day.
import { useState } from 'preact/hooks';
import { type Answer, api, dataOf, useAction, useAnswer } from '../../core/api.ts';
import { day, duration, percent } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Fields } from '../../parts/fields.tsx';
import { Card } from '../../parts/layout.tsx';
import { Load, Refusal } from '../../parts/states.tsx';

const DAY_MS = 86_400_000;
const PROPOSED_DAYS = 14;

function askCommand(id: string) {
  return api()['test-commands'].get({ query: { id } });
}

type Data = NonNullable<Awaited<ReturnType<typeof askCommand>>['data']>;
type Command = Extract<Data, { stats: unknown }>;

export function CommandCard({ commandId }: { commandId: string }) {
  const answer = useAnswer(() => askCommand(commandId), [commandId]);
  return (
    <Card title="Run by">
      <Load answer={answer as Answer<Command>}>
        {(command) => <Shown command={command} changed={answer.reload} />}
      </Load>
    </Card>
  );
}

function Shown({ command, changed }: { command: Command; changed(): void }) {
  const { id, name, key, stats, state, quarantine } = command;
  const mayChange = useMay('PATCH /test-commands');
  return (
    <div class="inside stack">
      <Fields
        fields={[
          [
            'Command',
            <>
              <a class="link" href={href('runs', [], { commandId: id })}>
                {name}
              </a>{' '}
              <span class="mono small second">{key}</span>
            </>,
          ],
          ['Runs', `${stats.runs}, ${percent(stats.passRate)} passed`],
          ['Takes', duration(stats.p50Ms)],
          ['State', stateText(state, quarantine)],
        ]}
      />
      {mayChange && state === 'active' && <Quarantine id={id} changed={changed} />}
      {mayChange && state === 'quarantined' && <EndQuarantine id={id} changed={changed} />}
    </div>
  );
}

function stateText(state: Command['state'], quarantine: Command['quarantine']): string {
  if (state !== 'quarantined' || !quarantine) return state;
  const { until, owner, reason } = quarantine;
  return `quarantined until ${day(until)}, ${owner}: ${reason}`;
}

interface ChangeProps {
  id: string;
  changed(): void;
}

function EndQuarantine({ id, changed }: ChangeProps) {
  const end = useAction(async () => {
    await dataOf(api()['test-commands'].patch({ id, state: 'active' }));
    changed();
  });
  return (
    <>
      <p>
        <button type="button" class="button" disabled={end.busy} onClick={() => void end.run()}>
          End the quarantine
        </button>
      </p>
      <Refusal problem={end.problem} />
    </>
  );
}

function Quarantine({ id, changed }: ChangeProps) {
  const [asking, setAsking] = useState(false);
  const quarantine = useAction(async (form: FormData) => {
    const [owner, reason, until] = ['owner', 'reason', 'until'].map((name) => `${form.get(name)}`);
    const set = { owner, reason, until: `${until}T00:00:00.000Z` };
    await dataOf(api()['test-commands'].patch({ id, state: 'quarantined', quarantine: set }));
    changed();
  });
  if (!asking)
    return (
      <p>
        <button type="button" class="button" onClick={() => setAsking(true)}>
          Quarantine
        </button>
      </p>
    );
  const proposed = new Date(Date.now() + PROPOSED_DAYS * DAY_MS).toISOString().slice(0, 10);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void quarantine.run(new FormData(event.currentTarget));
      }}
    >
      <p class="second small">It still runs and reports; it gates again when its time is up.</p>
      <input
        class="input"
        name="owner"
        required
        maxLength={300}
        aria-label="Who sees to it"
        placeholder="Who sees to it"
      />
      <input class="input" name="reason" required aria-label="Reason" placeholder="Reason" />
      <label class="line small">
        Until
        <input class="input" type="date" name="until" required defaultValue={proposed} />
      </label>
      <p>
        <button type="submit" class="button primary" disabled={quarantine.busy}>
          Quarantine the command
        </button>
      </p>
      <Refusal problem={quarantine.problem} />
    </form>
  );
}
