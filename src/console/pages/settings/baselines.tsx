// Revisions that have a name for good: to compare with, to release against.
import { useState } from 'preact/hooks';
import { useAction } from '../../core/api.ts';
import { href } from '../../core/route.ts';
import { Card } from '../../parts/layout.tsx';
import { Refusal } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { changeProject, type Project, useOwns } from './answers.ts';

interface BaselinesProps {
  project: Project;
  changed(): void;
}

export function Baselines({ project, changed }: BaselinesProps) {
  const { baselines = [], revision } = project;
  const owns = useOwns();
  return (
    <Card title="Baselines" aside={`revision ${revision} is the latest`}>
      {baselines.map(({ name, revision: number, note, author, createdAt }) => (
        <div key={name} class="row">
          <span class="grow">
            <b class="strong">{name}</b>{' '}
            <span class="second small">
              revision {number}, by {author.label ?? author.tokenId} <Time at={createdAt} />
            </span>
            {note && <p class="small second">{note}</p>}
          </span>
          {number < revision && (
            <a
              class="button compact"
              href={href('sources', 'changes', { from: name, to: revision })}
            >
              Changes since
            </a>
          )}
        </div>
      ))}
      {baselines.length === 0 && <p class="inside second">No revision has a name yet.</p>}
      {owns && revision > 0 && <BaselineForm project={project} changed={changed} />}
    </Card>
  );
}

function BaselineForm({ project: { slug, revision }, changed }: BaselinesProps) {
  const [name, setName] = useState('');
  const add = useAction(async () => {
    await changeProject({ slug, baseline: { name: name.trim(), revision } });
    setName('');
    changed();
  });
  return (
    <form
      class="inside stack"
      onSubmit={(event) => {
        event.preventDefault();
        void add.run();
      }}
    >
      <div class="line">
        <input
          class="input grow"
          aria-label="Name of the baseline"
          placeholder="Such as 4.3.0"
          required
          maxLength={300}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit" class="button" disabled={add.busy || name.trim() === ''}>
          Name revision {revision}
        </button>
      </div>
      <Refusal problem={add.problem} />
    </form>
  );
}
