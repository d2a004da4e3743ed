// Plans that are not done, how another agent joins, and the runs that came in last.

import { useAnswer } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Card } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import type { RunPage } from '../runs/ask.ts';
import { askRuns } from '../runs/ask.ts';
import { RunOutcome } from '../runs/outcome.tsx';
import { askRunState, type Plans } from './follow.ts';

const PLANS = 5;
const RUNS = 8;

/** @param ends - asks again when it rises */
export function PlansUnderWay({ ends }: { ends: number }) {
  const answer = useAnswer(() => askRunState<Plans>({ view: 'plans', limit: PLANS }), [ends]);
  return (
    <Card title="Plans under way">
      <Load answer={answer}>
        {({ items }) => {
          const open = items.filter(({ done }) => !done);
          if (open.length === 0)
            return (
              <Empty title="No plan waits">
                <a class="button" href={href('plan')}>
                  Make one
                </a>
              </Empty>
            );
          return open.map((plan) => <PlanRow key={plan.id} plan={plan} />);
        }}
      </Load>
    </Card>
  );
}

const STATES = [
  ['failed', 'failing'],
  ['broken', 'uncovered'],
  ['cancelled', 'justified'],
  ['passed', 'passing'],
  ['claimed', 'stale'],
  ['open', 'unexecuted'],
] as const;

function PlanRow({ plan: { id, items } }: { plan: Plans['items'][number] }) {
  const shown = STATES.filter(([state]) => items[state] > 0);
  return (
    <div class="inside plan">
      <div class="line">
        <b>{counted(items.total, 'item')}</b>
        <a class="mono small second cut" href={href('runs', [], { planId: id })}>
          {id}
        </a>
      </div>
      <span class="small-status-bar" aria-hidden="true">
        {shown.map(([state, status]) => (
          <i key={state} class={status} style={{ flexGrow: items[state] }} />
        ))}
      </span>
      <div class="line small second">
        {shown.map(([state]) => {
          const text = `${items[state]} ${state}`;
          const icon = (
            <OutcomeIcon outcome={state === 'claimed' ? 'running' : state} size="small" />
          );
          const hasRuns = state === 'failed' || state === 'broken' || state === 'passed';
          return hasRuns ? (
            <a key={state} href={href('runs', [], { planId: id, status: state })}>
              {icon} {text}
            </a>
          ) : (
            <span key={state}>
              {icon} {text}
            </span>
          );
        })}
      </div>
    </div>
  );
}

export function Join() {
  return (
    <Card title="Join with another agent">
      <div class="inside stack">
        <p class="second small">
          Whoever asks next gets the next open item; no two agents get the same one.
        </p>
        <Copyable text={`pqrs agent --url ${location.origin} --token-file agent.token`} />
      </div>
    </Card>
  );
}

/** @param ends - asks again when it rises */
export function Newest({ ends }: { ends: number }) {
  const answer = useAnswer(() => askRuns<RunPage>({ limit: RUNS }), [ends]);
  return (
    <Card title="What came in last" aside={<a href={href('runs')}>All runs</a>}>
      <Load answer={answer}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No run was reported yet" />
          ) : (
            items.map((run) => (
              <a key={run.id} class="row" data-row href={href('runs', run.id)}>
                <OutcomeIcon outcome={run.status} />
                <span class="grow cut">{run.name}</span>
                <span class="second wide-only">{run.agent?.name}</span>
                <RunOutcome run={run} />
                <span class="second came wide-only">
                  <Time at={run.createdAt} />
                </span>
              </a>
            ))
          )
        }
      </Load>
    </Card>
  );
}
