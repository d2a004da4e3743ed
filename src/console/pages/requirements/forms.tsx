// Forms of a requirement's next steps; what is written in them lasts as long as the tab.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Action, api, dataOf, useAction } from '../../core/api.ts';
import { href } from '../../core/route.ts';
import { useMe } from '../../frame/caller.ts';
import { Refusal } from '../../parts/states.tsx';
import type { Story } from './answers.ts';
import { dropDraft, readDraft, writeDraft } from './drafts.ts';

/** The fields of a form, as they were left. */
export function useDraft<T extends object>(form: string, initial: T) {
  const name = `${useMe().project.slug}.${form}`;
  const [fields, setFields] = useState<T>(() => ({ ...initial, ...readDraft<T>(name) }));
  const set = (some: Partial<T>) => {
    const next = { ...fields, ...some };
    writeDraft(name, next);
    setFields(next);
  };
  return { fields, set, drop: () => dropDraft(name) };
}

interface FormProps {
  label: string;
  title: string;
  action: Action<[]>;
  /** Where its Cancel leads. */
  back: string;
  ready: boolean;
  children: ComponentChildren;
}

export function Form({ label, title, action, back, ready, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  return (
    <form
      ref={form}
      class="panel-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !action.busy) void action.run();
      }}
    >
      {children}
      <Refusal problem={action.problem} />
      <div class="line">
        <button type="submit" class="button primary" disabled={!ready || action.busy}>
          {title}
        </button>
        <a class="button" href={back}>
          Cancel
        </a>
      </div>
    </form>
  );
}

interface StoryFormProps {
  story: Story;
  changed(note: string): void;
}

export function JustifyForm({ story: { id, coverage }, changed }: StoryFormProps) {
  const unmet = coverage?.needs.filter(({ state }) => state === 'unmet') ?? [];
  const { fields, set, drop } = useDraft(`justify.${id}`, {
    need: unmet[0]?.need ?? 'test',
    reason: '',
  });
  const action = useAction(async () => {
    const justify = [{ storyId: id, ...fields }];
    await dataOf(api()['project-traceability'].post({ justify }));
    drop();
    changed('The need is justified.');
  });
  const ready = fields.reason.trim() !== '';
  const form = { label: 'Justify', title: 'Justify the need', back: href('requirements', id) };
  return (
    <Form {...form} action={action} ready={ready}>
      {unmet.length > 1 && (
        <label>
          Need
          <select
            class="input"
            value={fields.need}
            onChange={({ currentTarget }) =>
              set({ need: currentTarget.value as typeof fields.need })
            }
          >
            {unmet.map(({ need }) => (
              <option key={need}>{need}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Why it needs no {fields.need}
        <textarea
          class="input"
          value={fields.reason}
          onInput={({ currentTarget }) => set({ reason: currentTarget.value })}
        />
      </label>
    </Form>
  );
}

const KINDS = ['test', 'command', 'scenario'] as const;

export function LinkForm({ story: { id }, changed }: StoryFormProps) {
  const { fields, set, drop } = useDraft(`link.${id}`, {
    kind: 'test' as (typeof KINDS)[number],
    target: '',
  });
  const action = useAction(async () => {
    const target = { kind: fields.kind, id: fields.target.trim() };
    await dataOf(
      api()['project-traceability'].post({ add: [{ storyId: id, type: 'verifies', target }] }),
    );
    drop();
    changed('The link was added.');
  });
  const ready = fields.target.trim() !== '';
  const form = { label: 'Link a test', title: 'Add the link', back: href('requirements', id) };
  return (
    <Form {...form} action={action} ready={ready}>
      <label>
        Kind
        <select
          class="input"
          value={fields.kind}
          onChange={({ currentTarget }) =>
            set({ kind: currentTarget.value as (typeof KINDS)[number] })
          }
        >
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        {fields.kind === 'test' ? "The test's name" : 'Its key'}
        <input
          class="input"
          value={fields.target}
          onInput={({ currentTarget }) => set({ target: currentTarget.value })}
        />
      </label>
    </Form>
  );
}
