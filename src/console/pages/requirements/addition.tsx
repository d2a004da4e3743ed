// A requirement that is added beside the sources.
import { api, dataOf, useAction } from '../../core/api.ts';
import { words } from '../../core/format.ts';
import { Form, useDraft } from './forms.tsx';

interface AdditionProps {
  /** Where it is put, unless its author says otherwise. */
  parentId: string | null;
  back: string;
  added(storyId: string, state: string): void;
}

const KINDS = ['requirement', 'story'] as const;
const LINKS = ['refines', 'derives', 'depends', 'satisfies', 'relates', 'conflicts'] as const;

export function AdditionForm({ parentId, back, added }: AdditionProps) {
  const { fields, set, drop } = useDraft('addition', {
    storyId: '',
    kind: 'requirement' as (typeof KINDS)[number],
    parentId: parentId ?? '',
    title: '',
    statement: '',
    acceptance: '',
    link: 'refines' as (typeof LINKS)[number],
    to: '',
    reason: '',
  });
  const action = useAction(async () => {
    const { storyId, title, statement, acceptance, link: type, to, kind, reason } = fields;
    const criteria = acceptance.split('\n').filter((text) => text.trim() !== '');
    const made = await dataOf(
      api()['story-additions'].post({
        ...(storyId.trim() && { storyId: storyId.trim() }),
        kind,
        parentId: fields.parentId.trim() || null,
        title,
        statement,
        acceptance: criteria,
        links: to.trim() ? [{ type, to: to.trim() }] : [],
        reason: reason.trim() || null,
      }),
    );
    drop();
    added(made.storyId, made.state);
  });
  const field = (name: 'storyId' | 'parentId' | 'title' | 'to' | 'reason', label: string) => (
    <label>
      {label}
      <input
        class="input"
        value={fields[name]}
        onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
      />
    </label>
  );
  const text = (name: 'statement' | 'acceptance', label: string) => (
    <label>
      {label}
      <textarea
        class="input"
        value={fields[name]}
        onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
      />
    </label>
  );
  const choice = <N extends 'kind' | 'link'>(
    name: N,
    label: string,
    values: readonly (typeof fields)[N][],
  ) => (
    <label>
      {label}
      <select
        class="input"
        value={fields[name]}
        onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
      >
        {values.map((value) => (
          <option key={value} value={value}>
            {words(value)}
          </option>
        ))}
      </select>
    </label>
  );
  const form = { label: 'Add a requirement', title: 'Add it', back };
  return (
    <>
      <h2>Add a requirement</h2>
      <p class="second small">
        It stands beside the sources until they have one with its id, which absorbs it.
      </p>
      <Form {...form} action={action} ready={fields.title.trim() !== ''}>
        {field('title', 'Title')}
        {text('statement', 'Statement')}
        {text('acceptance', 'Acceptance criteria, one a line')}
        {choice('kind', 'Kind', KINDS)}
        {field('storyId', 'Id, or none for the next free one')}
        {field('parentId', 'Stands in')}
        {choice('link', 'Link', LINKS)}
        {field('to', 'to the id')}
        {field('reason', 'Why')}
      </Form>
    </>
  );
}
