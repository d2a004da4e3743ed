// The form of an edit, in the place of the text that it edits; beside it what it would reach.
import { useEffect, useRef } from 'preact/hooks';
import type { Impact } from '../../../assurance/impact/impact.ts';
import { Refusal } from '../../parts/states.tsx';
import { WordDiff } from '../../parts/text.tsx';
import type { Story } from './answers.ts';
import { type Editing, type Fields, useEditing } from './editing.ts';

interface EditorProps {
  story: Story;
  reload(): void;
  saved(state: string, impact: Impact): void;
  leave(): void;
  /** Takes what the panel beside it shows. */
  publish(editing: Editing): void;
}

export function Editor({ story, reload, saved, leave, publish }: EditorProps) {
  const editing = useEditing(story, reload, saved);
  useEffect(
    () => publish(editing),
    [editing.draft, editing.impact, editing.asking, editing.problem, editing.changed, story],
  );
  const { draft, theirs, changed, save, change, setReason } = editing;
  const { base, fields, reason } = draft;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = form.current?.querySelector('textarea');
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  const discard = () => {
    editing.discard();
    leave();
  };
  return (
    <form
      ref={form}
      class="editor"
      aria-label="Edit"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed && !theirs && !save.busy) void save.run();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leave();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          form.current?.requestSubmit();
      }}
    >
      <label>
        Title
        <input
          class="input"
          value={fields.title}
          onInput={({ currentTarget }) => change({ title: currentTarget.value })}
        />
      </label>
      <Text label="Statement" text={fields.statement} set={(statement) => change({ statement })} />
      <Criteria texts={fields.acceptance} set={(acceptance) => change({ acceptance })} />
      {(base.rationale || fields.rationale) && (
        <Text
          label="Rationale"
          text={fields.rationale}
          set={(rationale) => change({ rationale })}
        />
      )}
      <label>
        Why
        <input
          class="input"
          placeholder="One sentence, kept with the edit"
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>
      {theirs ? <Conflict editing={editing} theirs={theirs} /> : <Refusal problem={save.problem} />}
      <div class="line">
        <button
          type="submit"
          class="button primary"
          disabled={!changed || theirs !== undefined || save.busy}
        >
          Save edit
        </button>
        <button type="button" class="button" onClick={leave}>
          Later <kbd>Esc</kbd>
        </button>
        <button type="button" class="button" onClick={discard}>
          Discard
        </button>
      </div>
      {changed && (
        <div class="changes">
          <h4>What changes</h4>
          <Differences before={base} after={fields} />
        </div>
      )}
    </form>
  );
}

interface TextProps {
  label: string;
  text: string;
  set(text: string): void;
}

function Text({ label, text, set }: TextProps) {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil((line.length + 1) / 64), 1);
  return (
    <label>
      {label}
      <textarea
        class="input"
        rows={Math.min(24, Math.max(3, lines))}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  );
}

function Criteria({ texts, set }: { texts: readonly string[]; set(texts: string[]): void }) {
  return (
    <fieldset>
      <legend>Acceptance criteria</legend>
      {texts.map((text, at) => (
        <div key={at} class="line">
          <textarea
            class="input grow"
            rows={2}
            aria-label={`Criterion ${at + 1}`}
            value={text}
            onInput={({ currentTarget }) => set(texts.with(at, currentTarget.value))}
          />
          <button
            type="button"
            class="button compact"
            aria-label={`Remove criterion ${at + 1}`}
            onClick={() => set(texts.toSpliced(at, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="button compact" onClick={() => set([...texts, ''])}>
        Add a criterion
      </button>
    </fieldset>
  );
}

/** Both texts, where somebody has changed the story meanwhile: nothing of either is lost. */
function Conflict({ editing, theirs }: { editing: Editing; theirs: Fields }) {
  const { base, fields } = editing.draft;
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div ref={alert} class="alert suspect conflict" role="alert" data-problem="conflict">
      <div>
        <b>It has changed since you began</b>
        <p>What it says by now, and yours, each against what you began on.</p>
        <div class="halves">
          <section aria-label="Theirs">
            <h4>Theirs</h4>
            <Differences before={base} after={theirs} />
          </section>
          <section aria-label="Yours">
            <h4>Yours</h4>
            <Differences before={base} after={fields} />
          </section>
        </div>
        <div class="line">
          <button type="button" class="button primary" onClick={() => editing.settle('mine')}>
            Put mine on theirs
          </button>
          <button type="button" class="button" onClick={() => editing.settle('theirs')}>
            Take theirs
          </button>
        </div>
      </div>
    </div>
  );
}

const NAMES: Record<keyof Fields, string> = {
  title: 'Title',
  statement: 'Statement',
  acceptance: 'Acceptance criteria',
  rationale: 'Rationale',
};

/** What is other in two texts of a story, field by field and word by word. */
export function Differences({
  before,
  after,
}: {
  before: Partial<Fields>;
  after: Partial<Fields>;
}) {
  const names = Object.keys(NAMES) as (keyof Fields)[];
  const changed = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  return (
    <dl class="differences">
      {changed.map((name) => (
        <div key={name}>
          <dt>{NAMES[name]}</dt>
          <dd class="statement">
            <WordDiff before={textOf(before[name])} after={textOf(after[name])} />
          </dd>
        </div>
      ))}
      {changed.length === 0 && <p class="faint small">Nothing is other.</p>}
    </dl>
  );
}

function textOf(value: string | readonly string[] | null | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join('\n');
}
