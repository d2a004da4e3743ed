// One requirement: where it stands, what tests it, who judged it, what it is linked to, where it is from.

import type { Answer } from '../../core/api.ts';
import { minute, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Icon } from '../../parts/icons.tsx';
import { Load } from '../../parts/states.tsx';
import { MEANING, StatusIcon, StatusTag } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import { type Story, useJudgement, useWorkflow, type Workflow } from './answers.ts';
import { useHasDraft } from './editing.ts';
import { Edits } from './edits.tsx';
import { Links, Source } from './links.tsx';
import { Next } from './next.tsx';
import { Part } from './panel-part.tsx';
import { Tests } from './tests.tsx';
import { Verdicts } from './verdicts.tsx';

interface PanelProps {
  id: string;
  story: Answer<Story>;
  /** The address of the document, to which the panel leads back. */
  back: string;
  /** The step of its workflow whose form is open. */
  open: string | null;
  /** What has just been done to it. */
  note: string | undefined;
  /** After a write: all is asked again. */
  changed(note: string): void;
  /** After it was deleted. */
  removed(): void;
}

export function Panel({ id, story, back, open, note, ...props }: PanelProps) {
  const workflow = useWorkflow(id);
  const judgement = useJudgement(id);
  const changed = (text: string) => {
    workflow.reload();
    judgement.reload();
    props.changed(text);
  };
  const reload = () => {
    for (const answer of [story, workflow, judgement]) answer.reload();
  };
  const mayEdit = useMay('POST /story-edits');
  const hasDraft = useHasDraft(id);
  return (
    <>
      <div class="line">
        <span class="mono small faint grow">{id}</span>
        <a class="icon-button" href={href('graph', id)} aria-label="Graph" title="Graph">
          <Icon name="graph" />
        </a>
        {mayEdit && (
          <a class="button compact" href={href('requirements', id, { edit: 1 })}>
            <Icon name="edit" /> {hasDraft ? 'Go on editing' : 'Edit'} <kbd>e</kbd>
          </a>
        )}
        <a class="icon-button" href={back} aria-label="Close" title="Close">
          <Icon name="close" />
        </a>
      </div>
      <div role="status">{note && <p class="alert passing">{note}</p>}</div>
      <Load answer={{ ...story, reload }}>
        {(data) => (
          <>
            <Head story={data} />
            <Part title="Where it stands">
              <Load answer={{ ...workflow, reload }}>
                {(flow) => (
                  <>
                    <Stages workflow={flow} />
                    <Next story={data} workflow={flow} open={open} changed={changed} />
                  </>
                )}
              </Load>
            </Part>
            <Edits story={data} changed={changed} removed={props.removed} />
            <Tests story={data} />
            <Part title="Verdicts">
              <Load answer={{ ...judgement, reload }}>
                {({ items }) => (
                  <Verdicts story={data} item={items[0]} open={open} changed={changed} />
                )}
              </Load>
            </Part>
            <Links story={data} />
            <Source story={data} />
            {workflow.data && <History workflow={workflow.data} />}
          </>
        )}
      </Load>
    </>
  );
}

function Head({ story: { title, coverage, active, status } }: { story: Story }) {
  return (
    <header>
      <h2>{title}</h2>
      {coverage ? (
        <p class="line">
          <StatusTag status={coverage.status} />
          <span class="second small">
            {MEANING[coverage.status]}
            {coverage.inherited && ' (taken from what refines it)'}
          </span>
        </p>
      ) : (
        <p class="second small">
          {active
            ? `Not counted: its status is ${status}`
            : 'Not counted: its source has retired it'}
        </p>
      )}
    </header>
  );
}

function Stages({ workflow: { stages } }: { workflow: Workflow }) {
  const open = stages.filter(({ state }) => state !== 'done' && state !== 'pending');
  const missing = open.flatMap((stage) => stage.missing);
  return (
    <>
      <ol class="steps">
        {stages.map(({ name, state, since }) => (
          <li key={name} class={state} title={since ? `${state} since ${minute(since)}` : state}>
            {name}
            <span class="hidden">, {state}</span>
          </li>
        ))}
      </ol>
      {missing.map((text, at) => (
        <p key={at} class="note">
          <StatusIcon status="suspect" size="small" />
          <span>{text}</span>
        </p>
      ))}
    </>
  );
}

function History({ workflow: { history } }: { workflow: Workflow }) {
  if (history.length === 0) return null;
  return (
    <section>
      <details>
        <summary>History, {history.length}</summary>
        <ol class="history">
          {history.toReversed().map(({ at, event, actor }, index) => (
            <li key={index}>
              <b>{words(event)}</b> {actor?.label && `by ${actor.label}, `}
              <Time at={at} />
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
