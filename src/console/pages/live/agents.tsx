// All agents of the last day, with what each holds, and what came in last.
import { useRef, useState } from 'preact/hooks';
import { useAnswer } from '../../core/api.ts';
import { clock, counted } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Icon } from '../../parts/icons.tsx';
import { Card, PageHead } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { CancelRuns } from './cancel.tsx';
import { ConnectionNote } from './connection.tsx';
import {
  askRunState,
  type HeldRun,
  isLive,
  type RunState,
  type SeenAgents,
  useRunStates,
  useThrottled,
  useTick,
} from './follow.ts';
import { Join, Newest, PlansUnderWay } from './plans.tsx';
import { doing, RunProgress } from './progress.tsx';

type SeenAgent = SeenAgents['items'][number];

/** How long beginnings and ends of runs gather before the agents are asked for again. */
const GATHER_MS = 500;
const AGENTS_SHOWN = 20;
const RUNS_SHOWN = 5;

export function Agents() {
  useTick(10_000);
  const agents = useAnswer(() => askRunState<SeenAgents>({ view: 'agents' }), []);
  const [ends, setEnds] = useState(0);
  const { changed, connection, asOf } = useChanges(agents.data, () => {
    agents.reload();
    setEnds((count) => count + 1);
  });
  return (
    <>
      <PageHead title="Live" sub={<ConnectionNote connection={connection} asOf={asOf} />}>
        <a class="button" href={href('plan')}>
          <Icon name="plan" /> Plan
        </a>
      </PageHead>
      <div class="columns">
        <div class="stack">
          <Load answer={agents}>
            {({ items }) => (
              <AgentList agents={items.map((one) => ({ ...one, holds: one.holds.map(changed) }))} />
            )}
          </Load>
          <Newest ends={ends} />
        </div>
        <aside class="stack" aria-label="Plans">
          <PlansUnderWay ends={ends} />
          <Join />
        </aside>
      </div>
    </>
  );
}

/** What has changed since the agents were asked for; asks again where runs begin or end. */
function useChanges(agents: SeenAgents | undefined, reload: () => void) {
  const [runs, setRuns] = useState<ReadonlyMap<string, RunState>>(new Map());
  const asOf = useRef<string | undefined>(undefined);
  const reloadAll = () => {
    setRuns(new Map());
    reload();
  };
  const reloadSoon = useThrottled(reloadAll, GATHER_MS);
  const take = (run: RunState) => {
    if (run.fromWidget) return;
    asOf.current = new Date().toISOString();
    setRuns((known) => new Map([...known, [run.runId, run]]));
    const held = agents?.items
      .flatMap(({ holds }) => holds)
      .find(({ runId }) => runId === run.runId);
    if (!held || !isLive(run)) reloadSoon();
  };
  const connection = useRunStates('', take, reloadAll);
  const changed = (held: HeldRun): HeldRun => {
    const run = runs.get(held.runId);
    return run && run.version > held.version ? { ...held, ...run } : held;
  };
  return { changed, connection, asOf: asOf.current };
}

function AgentList({ agents }: { agents: SeenAgent[] }) {
  const working = agents.filter(({ holding }) => holding > 0);
  const others = [
    ...working.slice(AGENTS_SHOWN),
    ...agents.filter((one) => !working.includes(one)),
  ];
  const runs = working.reduce((sum, { holding }) => sum + holding, 0);
  return (
    <>
      <p class="says" role="status">
        {working.length > 0
          ? `${counted(working.length, 'agent')} at work on ${counted(runs, 'run')}`
          : 'No agent is at work'}
      </p>
      {working.slice(0, AGENTS_SHOWN).map((one) => (
        <AgentCard key={`${one.author.tokenId} ${one.agent.name}`} seen={one} />
      ))}
      {others.length > 0 && (
        <Card title="Others seen in the last day" aside={String(others.length)}>
          {others.slice(0, 50).map(({ agent, author, seenAt, holding }) => (
            <div key={`${author.tokenId} ${agent.name}`} class="row">
              <Icon name="agent" />
              <b>{agent.name}</b>
              <span class="second grow cut">
                {holding > 0 ? counted(holding, 'run') : 'idle'}, token {author.label}
              </span>
              <span class="second">
                <Time at={seenAt} />
              </span>
            </div>
          ))}
        </Card>
      )}
      {agents.length === 0 && (
        <Empty title="No agent was seen in the last day">
          <p>An agent claims items of a plan, runs them, and says how far it is.</p>
        </Empty>
      )}
    </>
  );
}

function AgentCard({ seen }: { seen: SeenAgent }) {
  const { agent, author, holds, holding, seenAt } = seen;
  const lease = holds.map(({ leaseExpiresAt }) => leaseExpiresAt ?? '').filter(Boolean);
  const shown = holds.slice(0, RUNS_SHOWN);
  const suites = [...new Set(holds.flatMap(({ suiteId }) => suiteId ?? []))];
  return (
    <section class="card live-agent" aria-label={agent.name}>
      <header>
        <Icon name="agent" />
        <h2>{agent.name}</h2>
        <span class="second cut">
          {agent.version} token {author.label ?? author.tokenId}
        </span>
        <div class="aside line">
          {lease.length > 0 && <span>lease until {clock(lease.sort()[0] ?? '')} UTC</span>}
          <CancelRuns runs={holds.filter(isLive)} of={agent.name} />
        </div>
      </header>
      {shown.map((run) => (
        <HeldRow key={run.runId} run={run} />
      ))}
      <p class="inside line faint small">
        <span>
          seen <Time at={seenAt} />
        </span>
        {holding > shown.length && <span>{holding - shown.length} more</span>}
        {suites.map((id) => (
          <a key={id} class="mono" href={href('runs', [], { suiteId: id })}>
            {id}
          </a>
        ))}
      </p>
    </section>
  );
}

function HeldRow({ run }: { run: HeldRun }) {
  return (
    <div class="held">
      <OutcomeIcon outcome={run.state} />
      <span class="what">
        <a class="strong" data-row href={href('live', run.runId)}>
          {run.name ?? run.runId}
        </a>{' '}
        <span class="mono small second">{doing(run)}</span>
        {run.attempt > 1 && <span class="tag plain">attempt {run.attempt}</span>}
        {run.stories.slice(0, 3).map(({ id }) => (
          <StoryLink key={id} id={id} />
        ))}
      </span>
      <RunProgress run={run} />
    </div>
  );
}
