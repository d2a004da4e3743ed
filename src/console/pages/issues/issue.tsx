// One issue: what was seen, where and how often, and what became of it.
import { useState } from 'preact/hooks';
import { type Answer, api, useAnswer } from '../../core/api.ts';
import { counted, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Card, PageHead } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { SeverityIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import type { Issue } from './answers.ts';
import { Ending, Moves } from './changes.tsx';
import { Errors, Events } from './context.tsx';
import { Evidence } from './evidence.tsx';
import { Facts } from './facts.tsx';
import { History } from './history.tsx';

export function OneIssue({ id }: { id: string }) {
  const answer = useAnswer(() => api().issues.get({ query: { id } }), [id]) as Answer<Issue>;
  return (
    <>
      {!answer.data && (
        <PageHead title="Issue" parent={{ title: 'Issues', address: href('issues') }} />
      )}
      <Load answer={answer}>{(issue) => <Shown issue={issue} reload={answer.reload} />}</Load>
    </>
  );
}

interface ShownProps {
  issue: Issue;
  reload(): void;
}

function Shown({ issue, reload }: ShownProps) {
  const { number, title, severity, status, resolution, labels, description, context } = issue;
  const mayChange = useMay('PATCH /issues/:id');
  const [ending, setEnding] = useState(false);
  return (
    <>
      <PageHead title={title} parent={{ title: 'Issues', address: href('issues') }}>
        {mayChange && (
          <Moves key={status} issue={issue} changed={reload} end={() => setEnding(true)} />
        )}
      </PageHead>
      <p class="line issue-line">
        <span class="tag plain">
          <SeverityIcon severity={severity} size="small" /> {severity}
        </span>
        <span class="tag plain" data-status={status}>
          {words(status)}
          {resolution && `: ${words(resolution)}`}
        </span>
        {labels.map((label) => (
          <a key={label} class="tag plain cut" href={href('issues', [], { labels: label })}>
            {label}
          </a>
        ))}
        <span class="small faint">
          #{number}, filed by {issue.author.label ?? issue.author.tokenId}{' '}
          <Time at={issue.createdAt} />
          {issue.untrusted && ', from a web page: its texts are anybody’s'}
        </span>
      </p>
      <div class="columns">
        <div class="stack">
          {ending && <Ending issue={issue} changed={reload} close={() => setEnding(false)} />}
          {description && (
            <section class="card description" aria-label="Description">
              {description}
            </section>
          )}
          <Evidence attachments={issue.attachments} reload={reload} />
          <Errors context={context} />
          <Events context={context} />
          <History issue={issue} mayComment={mayChange} changed={reload} />
        </div>
        <div class="stack">
          <Facts issue={issue} mayChange={mayChange} changed={reload} />
          <Requirements storyIds={issue.storyIds} />
          <Again issue={issue} />
        </div>
      </div>
    </>
  );
}

function Requirements({ storyIds }: Pick<Issue, 'storyIds'>) {
  return (
    <Card title="Requirements">
      <p class="inside line">
        {storyIds.map((id) => (
          <StoryLink key={id} id={id} />
        ))}
        {storyIds.length === 0 && <span class="second">None: it blocks no requirement.</span>}
      </p>
    </Card>
  );
}

function Again({ issue: { duplicates, occurrences, duplicateOf } }: { issue: Issue }) {
  if (duplicateOf)
    return (
      <Card title="Reported before">
        <p class="inside">
          It repeats{' '}
          <a class="link" href={href('issues', duplicateOf)}>
            another issue
          </a>
          .
        </p>
      </Card>
    );
  if (duplicates.length === 0) return null;
  return (
    <Card title="Reported again" aside={counted(occurrences - 1, 'time')}>
      {duplicates.map(({ id, number, build, occurredAt }) => (
        <a key={id} class="row" href={href('issues', id)}>
          <span class="faint number">#{number}</span>
          <span class="grow cut">{build}</span>
          <span class="faint small">
            <Time at={occurredAt} />
          </span>
        </a>
      ))}
    </Card>
  );
}
