// Who changed what, the oldest first, and a comment to add.
import { api, dataOf, useAction } from '../../core/api.ts';
import { useDraft } from '../../core/drafts.ts';
import { Card } from '../../parts/layout.tsx';
import { Refusal } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import type { Issue } from './answers.ts';

interface HistoryProps {
  issue: Issue;
  mayComment: boolean;
  changed(): void;
}

const MAX_COMMENT = 8192;

export function History({ issue, mayComment, changed }: HistoryProps) {
  return (
    <Card title="History">
      <div class="inside stack">
        <ol class="history">
          {issue.history.map(({ at, by, event, changes }, index) => (
            <li key={index}>
              <b class="strong">{by.label ?? by.tokenId}</b>{' '}
              {changes.some(({ field }) => field === 'comment') ? 'commented' : event}{' '}
              <span class="small faint">
                <Time at={at} />
              </span>
              {changes.map((change) => (
                <Change key={change.field} change={change} />
              ))}
            </li>
          ))}
        </ol>
        {mayComment && <CommentForm id={issue.id} changed={changed} />}
      </div>
    </Card>
  );
}

type FieldChange = Issue['history'][number]['changes'][number];

function Change({ change: { field, from, to } }: { change: FieldChange }) {
  if (field === 'comment') return <p class="comment">{textOf(to)}</p>;
  const [before, after] = [textOf(from), textOf(to)];
  return (
    <p class="second small">
      {field}: {before && <del>{before}</del>} {after && <ins>{after}</ins>}
    </p>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object') return String(value);
  const { name } = value as { name?: unknown };
  return typeof name === 'string' ? name : JSON.stringify(value);
}

function CommentForm({ id, changed }: { id: string; changed(): void }) {
  const [text, setText] = useDraft(`comment ${id}`);
  const send = useAction(async () => {
    await dataOf(api().issues({ id }).patch({ comment: text }));
    setText('');
    changed();
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <textarea
        class="input"
        aria-label="Comment"
        placeholder="Add to the history"
        required
        maxLength={MAX_COMMENT}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Refusal problem={send.problem} />
      <div>
        <button type="submit" class="button" disabled={send.busy || text.trim() === ''}>
          Comment
        </button>
      </div>
    </form>
  );
}
