// Edits and additions that are open or in force: what they change, and what may become of them.
import { useState } from 'preact/hooks';
import { api, dataOf, useAction } from '../../core/api.ts';
import { useMay, useMe } from '../../frame/caller.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import type { Overlay, Story } from './answers.ts';
import { Differences } from './editor.tsx';
import { Part } from './panel-part.tsx';

interface EditsProps {
  story: Story;
  changed(note: string): void;
  removed(): void;
}

export function Edits({ story, changed, removed }: EditsProps) {
  const { overlays } = story;
  if (overlays.length === 0) return null;
  return (
    <Part title="Edits" count={overlays.length}>
      {overlays.map((one) => (
        <div key={one.id} class="overlay">
          <p>
            <b>{TITLES[one.state] ?? one.state}</b> {one.overlay} by{' '}
            {one.author.label ?? 'somebody'}, <Time at={one.createdAt} />
          </p>
          {one.reason && <p class="second">{one.reason}</p>}
          {one.overlay === 'edit' && (
            <Differences before={textsOf(one.base)} after={textsOf(one.set)} />
          )}
          {one.overlay === 'edit' ? (
            <EditMoves story={story} edit={one} changed={changed} />
          ) : (
            <AdditionMoves addition={one} changed={changed} removed={removed} />
          )}
        </div>
      ))}
    </Part>
  );
}

const TITLES: Record<string, string> = {
  accepted: 'In force, not in the sources yet:',
  active: 'In force, not in the sources yet:',
  proposed: 'Waits for a decision:',
  conflicted: 'In conflict with the sources:',
};

type Edit = Extract<Overlay, { overlay: 'edit' }>;
type Addition = Extract<Overlay, { overlay: 'addition' }>;

function textsOf({ title, statement, acceptance, rationale }: Edit['set']) {
  return {
    ...(title !== undefined && { title }),
    ...(statement !== undefined && { statement }),
    ...(acceptance !== undefined && { acceptance }),
    ...(rationale != null && { rationale }),
  };
}

/** Under review an owner accepts and rejects. */
function useDecider(): boolean {
  const { project, caller } = useMe();
  return caller.capabilities.includes('project:owner') || project.settings.editPolicy === 'direct';
}

interface Move {
  title: string;
  body: { state: 'accepted' | 'rejected' | 'withdrawn'; baseFingerprint?: string };
}

function movesOf(state: Edit['state'], fingerprint: string, mayDecide: boolean): Move[] {
  const withdraw: Move = { title: 'Withdraw', body: { state: 'withdrawn' } };
  if (state === 'accepted') return [withdraw];
  if (state === 'conflicted')
    return [
      {
        title: 'Put it on the new text',
        body: { state: 'accepted', baseFingerprint: fingerprint },
      },
      withdraw,
    ];
  if (state !== 'proposed') return [];
  if (!mayDecide) return [withdraw];
  return [
    { title: 'Accept', body: { state: 'accepted' } },
    { title: 'Reject', body: { state: 'rejected' } },
    withdraw,
  ];
}

function EditMoves({ story, edit, changed }: Omit<EditsProps, 'removed'> & { edit: Edit }) {
  const may = useMay('PATCH /story-edits');
  const mayDecide = useDecider();
  const move = useAction(async ({ title, body }: Move) => {
    await dataOf(api()['story-edits'].patch({ id: edit.id, ...body }));
    changed(`${title}: done.`);
  });
  if (!may) return null;
  return (
    <>
      <div class="line">
        {movesOf(edit.state, story.fingerprint, mayDecide).map((one) => (
          <button
            key={one.title}
            type="button"
            class="button compact"
            disabled={move.busy}
            onClick={() => void move.run(one)}
          >
            {one.title}
          </button>
        ))}
      </div>
      <Refusal problem={move.problem} />
    </>
  );
}

function AdditionMoves({
  addition: { id, state, storyId },
  changed,
  removed,
}: Omit<EditsProps, 'story'> & { addition: Addition }) {
  const mayActivate = useDecider();
  const mayDelete = useMay('DELETE /story-additions');
  const [asking, setAsking] = useState(false);
  const activate = useAction(async () => {
    await dataOf(api()['story-additions'].post({ id, state: 'active' }));
    changed('The requirement is in force.');
  });
  const remove = useAction(async (cascade: boolean) => {
    await dataOf(api()['story-additions'].delete(undefined, { query: { id, cascade } }));
    removed();
  });
  const hasDependents = remove.problem?.status === 409;
  return (
    <>
      <div class="line">
        {state === 'proposed' && mayActivate && (
          <button
            type="button"
            class="button compact"
            disabled={activate.busy}
            onClick={() => void activate.run()}
          >
            Put it in force
          </button>
        )}
        {mayDelete && (
          <button type="button" class="button compact" onClick={() => setAsking(true)}>
            Delete
          </button>
        )}
      </div>
      <Refusal problem={activate.problem} />
      {asking && (
        <Confirm
          title={`Delete ${storyId}`}
          action={hasDependents ? 'Delete it and its links' : 'Delete'}
          busy={remove.busy}
          run={() => void remove.run(hasDependents)}
          close={() => setAsking(false)}
        >
          <p>The sources do not have it: it cannot be brought back.</p>
          <Refusal problem={remove.problem} />
        </Confirm>
      )}
    </>
  );
}
