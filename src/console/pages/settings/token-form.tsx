// A new token: what it may do, how long, and what it is called.
import { useState } from 'preact/hooks';
import { CAPABILITIES, type Capability } from '../../../access/access.ts';
import { useAction } from '../../core/api.ts';
import { useMe } from '../../frame/caller.ts';
import { Refusal } from '../../parts/states.tsx';
import { changeProject } from './answers.ts';

const MEANING: Record<Capability, string> = {
  'project:owner': 'all of it',
  'srs:edit': 'edit requirements, judge and import',
  'agent:execute': 'run tests, report and log',
  'widget:write': 'report issues from a web page, for all to see',
  'read:demo': 'read, where the demo is on',
};

const DAY_MS = 86_400_000;
const DAYS = [0, 30, 90, 365];

interface TokenFormProps {
  made(secret: string): void;
  close(): void;
}

export function TokenForm({ made, close }: TokenFormProps) {
  const { project } = useMe();
  const [label, setLabel] = useState('');
  const [capabilities, setCapabilities] = useState<Capability[]>(['agent:execute']);
  const [days, setDays] = useState(90);
  const [readOnly, setReadOnly] = useState(false);
  const make = useAction(async () => {
    const expiresAt = days > 0 && new Date(Date.now() + days * DAY_MS).toISOString();
    const create = {
      capabilities,
      ...(label.trim() && { label: label.trim() }),
      ...(expiresAt && { expiresAt }),
      ...(readOnly && { readOnly }),
    };
    const { token } = await changeProject({ slug: project.slug, tokens: { create } });
    if (token) made(token);
  });
  return (
    <form
      class="inside stack"
      onSubmit={(event) => {
        event.preventDefault();
        void make.run();
      }}
    >
      <div class="halves">
        <label class="field">
          Label
          <input
            class="input"
            maxLength={300}
            placeholder="Such as ci-main"
            value={label}
            onInput={({ currentTarget }) => setLabel(currentTarget.value)}
          />
        </label>
        <label class="field">
          Ends
          <select
            class="input"
            value={days}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
          >
            {DAYS.map((one) => (
              <option key={one} value={one}>
                {one === 0 ? 'never by itself' : `in ${one} days`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <fieldset class="capabilities">
        <legend class="small second">It may</legend>
        {CAPABILITIES.map((one) => (
          <label key={one} class="line">
            <input
              type="checkbox"
              checked={capabilities.includes(one)}
              onChange={({ currentTarget }) =>
                setCapabilities(
                  CAPABILITIES.filter((other) =>
                    other === one ? currentTarget.checked : capabilities.includes(other),
                  ),
                )
              }
            />
            <code>{one}</code> <span class="second small">{MEANING[one]}</span>
          </label>
        ))}
        <label class="line">
          <input
            type="checkbox"
            checked={readOnly}
            onChange={({ currentTarget }) => setReadOnly(currentTarget.checked)}
          />
          read only <span class="second small">nothing but GET, whatever else it holds</span>
        </label>
      </fieldset>
      <Refusal problem={make.problem} />
      <div class="line">
        <button
          type="submit"
          class="button primary"
          disabled={make.busy || capabilities.length === 0}
        >
          Make the token
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
