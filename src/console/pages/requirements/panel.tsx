// One requirement: where it stands, what tests it, who judged it, what it is linked to, where it is from.

import type { Answer } from '../../core/api.ts';
import { commitName, minute, testName, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Strip } from '../../parts/charts.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Load } from '../../parts/states.tsx';
import { MEANING, OutcomeIcon, SeverityIcon, StatusIcon, StatusTag } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { type Story, useJudgement, useWorkflow, type Workflow } from './answers.ts';
import { useHasDraft } from './editing.ts';
import { Edits } from './edits.tsx';
import { Next } from './next.tsx';
import { Part } from './panel-part.tsx';
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

const SHOWN = 12;

function Tests({ story: { id, coverage } }: { story: Story }) {
  const tests = coverage?.tests ?? [];
  const needs = coverage?.needs.filter(({ state }) => state === 'justified') ?? [];
  return (
    <Part title="Tests" count={tests.length}>
      {tests
        .slice(0, SHOWN)
        .map(({ kind, id: testId, name, result, strip, failingSince, ...test }) => (
          <div key={testId} class="test">
            <OutcomeIcon outcome={result ?? 'not run'} />
            <div class="grow">
              <TestLink
                kind={kind}
                id={testId}
                name={testName(name ?? testId)}
                runId={strip.at(-1)?.runId}
              />
              <span class="line small">
                <Strip outcomes={strip} />
                {failingSince && (
                  <a class="link" href={href('runs', failingSince.runId)}>
                    fails since {commitName(failingSince.commit)} <Time at={failingSince.at} />
                  </a>
                )}
                {test.stale && <span class="second">passed an older text</span>}
                {test.quarantined && <span class="second">in quarantine</span>}
                {test.state !== 'valid' && <span class="second">link {test.state}</span>}
              </span>
            </div>
          </div>
        ))}
      {tests.length > SHOWN && (
        <a class="link small" href={href('matrix', [], { storyId: id })}>
          and {tests.length - SHOWN} more
        </a>
      )}
      {needs.map(({ need, reason }) => (
        <p key={need} class="note">
          <StatusIcon status="justified" size="small" />
          <span>
            Needs no {need}: {reason}
          </span>
        </p>
      ))}
      {tests.length === 0 && needs.length === 0 && (
        <p class="second small">
          No test verifies it. Put <code>[{id}]</code> into a test's name and report it, or link
          one.
        </p>
      )}
    </Part>
  );
}

interface TestLinkProps {
  kind: string;
  id: string;
  name: string;
  /** Its last run: a command has no page of its own. */
  runId: string | undefined;
}

function TestLink({ kind, id, name, runId }: TestLinkProps) {
  const address = kind === 'test' ? href('tests', id) : runId && href('runs', runId);
  if (address === undefined)
    return (
      <span class="mono small">
        {name} <span class="faint">{kind}</span>
      </span>
    );
  return (
    <a class="link mono small" href={address}>
      {name}
    </a>
  );
}

function Links({ story }: { story: Story }) {
  const { outgoing, incoming } = story.links;
  const links = [
    ...outgoing.map((link) => ({ ...link, as: link.type as string })),
    ...incoming
      .filter(({ type }) => type !== 'contains')
      .map((link) => ({ ...link, as: `${link.type.replace(/s$/, '')} of` })),
  ];
  const others = story.coverage?.traces.filter(({ type }) => type !== 'verifies') ?? [];
  const mayFile = useMay('POST /issues');
  return (
    <Part title="Links" count={links.length + others.length + story.openIssues.length}>
      {links.slice(0, SHOWN).map(({ as, id, title, status }) => (
        <p key={`${as} ${id}`} class="line small">
          <span class="faint">{INCOMING[as] ?? as}</span>
          {status === 'dangling' ? (
            <span class="mono">
              <StatusIcon status="failing" size="small" /> {id}, in no source
            </span>
          ) : (
            <>
              <StoryLink id={id} />
              <span class="cut">{title}</span>
              {status === 'suspect' && <StatusTag status="suspect" />}
            </>
          )}
        </p>
      ))}
      {links.length > SHOWN && (
        <a class="link small" href={href('graph', story.id)}>
          and {links.length - SHOWN} more
        </a>
      )}
      {others.slice(0, SHOWN).map(({ type, target, state }) => (
        <p key={`${type} ${target.id}`} class="line small">
          <span class="faint">{type}</span>
          <span class="mono cut">{target.id}</span>
          {state !== 'valid' && <span class="tag suspect">{state}</span>}
        </p>
      ))}
      {story.openIssues.slice(0, SHOWN).map(({ id, number, title, severity, status }) => (
        <p key={id} class="line small">
          <SeverityIcon severity={severity} size="small" />
          <a class="link cut" href={href('issues', id)}>
            #{number} {title}
          </a>
          <span class="faint">{words(status)}</span>
        </p>
      ))}
      {mayFile && (
        <a class="button compact" href={href('issues', 'new', { storyIds: story.id })}>
          File an issue
        </a>
      )}
    </Part>
  );
}

/** A link as the story says it to which it leads. */
const INCOMING: Record<string, string> = {
  'refine of': 'refined by',
  'derive of': 'derived from it',
  'depend of': 'depended on by',
  'verifie of': 'verified by',
  'satisfie of': 'satisfied by',
  'conflict of': 'conflicts with',
  'relate of': 'related to',
};

function Source({
  story: { source, kind, status, priority, tags, attributes, rationale },
}: {
  story: Story;
}) {
  const named = Object.entries(attributes).filter(([name]) => name !== 'node_type');
  const fields: [string, unknown][] = [
    ['Kind', kind],
    ['Status', status],
    ['Priority', priority],
    ['Tags', tags.join(', ')],
    ['Rationale', rationale],
    ...named,
  ];
  return (
    <Part title="Source">
      {source.path && (
        <a class="link mono small" href={href('sources', [], { path: source.path })}>
          {source.path}:{source.line}
        </a>
      )}
      <dl class="fields">
        {fields
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{words(name.toLowerCase())}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
      </dl>
    </Part>
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
