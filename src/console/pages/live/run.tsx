// One run while an agent holds it, and where its results are once it has ended.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, useAnswer } from '../../core/api.ts';
import { clock, duration } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Fields } from '../../parts/fields.tsx';
import { Card, PageHead } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { askRuns, type Run } from '../runs/ask.ts';
import { CancelRuns } from './cancel.tsx';
import { ConnectionNote } from './connection.tsx';
import { askRunState, isLive, type RunState, useRunStates, useTick } from './follow.ts';
import { doing, RunProgress } from './progress.tsx';

const LIVE = { title: 'Live', address: href('live') };

export function LiveRun({ runId }: { runId: string }) {
  useTick(10_000);
  const answer = useAnswer(() => askRunState<RunState>({ runId }), [runId]);
  const [newest, setNewest] = useState<RunState>();
  const connection = useRunStates(`?runId=${encodeURIComponent(runId)}`, setNewest, answer.reload);
  const asked = answer.data;
  const run = newest && (!asked || newest.version > asked.version) ? newest : asked;
  return (
    <>
      <PageHead
        title={run?.name ?? 'Run'}
        parent={LIVE}
        sub={
          (!run || isLive(run)) && <ConnectionNote connection={connection} asOf={run?.updatedAt} />
        }
      >
        {run && isLive(run) && <CancelRuns runs={[run]} of={run.agent?.name ?? 'its agent'} />}
      </PageHead>
      <Load answer={answer}>{() => run && <Shown run={run} />}</Load>
    </>
  );
}

function Shown({ run }: { run: RunState }) {
  return (
    <div class="columns">
      <div class="stack">
        <section class="card verdict" aria-label="How far it is">
          <div class="line">
            <OutcomeIcon outcome={run.state} size="large" />
            <b class="says" role="status">
              {run.state}
            </b>
            <span class="mono second grow cut">{isLive(run) && doing(run)}</span>
            <RunProgress run={run} />
          </div>
          {run.message && <p class="second">{run.message}</p>}
          {run.state === 'lost' && (
            <p>Its agent gave no sign of life. Its item may be claimed again.</p>
          )}
          {!isLive(run) && <Results run={run} />}
        </section>
        {run.commandId && <Stories commandId={run.commandId} />}
      </div>
      <aside aria-label="About the run">
        <Facts run={run} />
      </aside>
    </div>
  );
}

function Results({ run: { runId, state } }: { run: RunState }) {
  const { data, loading } = useAnswer(
    () => askRuns<Run>({ id: runId, limit: 1, status: ['broken'] }),
    [runId, state],
  );
  if (loading) return null;
  if (!data) return <p class="second">It ended without results.</p>;
  return (
    <p>
      <a class="button primary" href={href('runs', runId)}>
        Show its results
      </a>
    </p>
  );
}

function Stories({ commandId }: { commandId: string }) {
  const { data } = useAnswer(
    () => api()['test-commands'].get({ query: { id: commandId } }),
    [commandId],
  );
  if (!data || !('storyIds' in data)) return null;
  const { storyIds, stats } = data;
  return (
    <Card
      title="What it verifies"
      aside={stats.p50Ms ? `takes about ${duration(stats.p50Ms)}` : undefined}
    >
      <p class="inside line">
        {storyIds.slice(0, 50).map((id) => (
          <StoryLink key={id} id={id} />
        ))}
        {storyIds.length > 50 && `and ${storyIds.length - 50} more`}
        {storyIds.length === 0 && <span class="second">The command itself names no story.</span>}
      </p>
    </Card>
  );
}

function Facts({ run }: { run: RunState }) {
  const facts: [name: string, value: ComponentChildren][] = [
    ['Agent', run.agent && `${run.agent.name} ${run.agent.version ?? ''}`],
    ['Claimed', <Time key="at" at={run.createdAt} />],
    ['Seen', run.heartbeatAt && <Time key="seen" at={run.heartbeatAt} />],
    ['Lease', run.leaseExpiresAt && `until ${clock(run.leaseExpiresAt)} UTC`],
    ['Attempt', run.attempt],
    ['Revision', run.revision],
    ['Token', run.author.label ?? run.author.tokenId],
    [
      'Plan',
      run.planId && (
        <a class="mono" href={href('runs', [], { planId: run.planId })}>
          {run.planId}
        </a>
      ),
    ],
    [
      'Id',
      <span key="id" class="mono">
        {run.runId}
      </span>,
    ],
  ];
  return (
    <Card title="Run">
      <div class="inside">
        <Fields fields={facts} />
      </div>
    </Card>
  );
}
