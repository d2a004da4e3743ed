// What to run next, in which order and why; the commands that there are, and one of them.
import { useState } from 'preact/hooks';
import { dataOf, useAction, useAnswer } from '../../core/api.ts';
import { counted, duration } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { go, href, type PageProps, type Route, withQuery } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Chip, PageHead, Segments } from '../../parts/layout.tsx';
import { Empty, Load, Refusal } from '../../parts/states.tsx';
import { askPlan, type Draft, requestOf, STRATEGIES, type Stored } from './ask.ts';
import { OneCommand } from './command.tsx';
import { CommandList } from './commands.tsx';
import { Early } from './early.tsx';
import { Order } from './order.tsx';
import { Uncovered } from './uncovered.tsx';

export function Page({ route }: PageProps) {
  useRowKeys();
  const [id] = route.rest;
  if (id !== undefined) return <OneCommand id={id} />;
  if (route.query.get('view') === 'commands')
    return (
      <>
        <PageHead title="Plan" sub="the commands that there are">
          <Views route={route} current="commands" />
        </PageHead>
        <CommandList route={route} />
      </>
    );
  return <PlanPage route={route} />;
}

function Views({ route, current }: { route: Route; current: 'plan' | 'commands' }) {
  return (
    <Segments
      label="View"
      choices={[
        { name: 'Plan', address: withQuery(route, { view: null }), current: current === 'plan' },
        {
          name: 'Commands',
          address: href('plan', [], { view: 'commands' }),
          current: current === 'commands',
        },
      ]}
    />
  );
}

function PlanPage({ route }: PageProps) {
  const may = useMay('POST /agent/plan');
  const request = requestOf(route);
  const answer = useAnswer(
    (signal) =>
      may
        ? askPlan<Draft>({ ...request, dryRun: true, curve: true, evaluate: true }, signal)
        : undefined,
    [JSON.stringify(request)],
  );
  return (
    <>
      <PageHead title="Plan" sub={answer.data && `on revision ${answer.data.revision}`}>
        <Views route={route} current="plan" />
      </PageHead>
      {may ? (
        <Ask route={route} strategy={request.strategy} />
      ) : (
        <Empty title="Your token may not plan">
          <a class="button" href={href('plan', [], { view: 'commands' })}>
            See the commands
          </a>
        </Empty>
      )}
      <Load answer={answer}>{(draft) => <Shown draft={draft} request={request} />}</Load>
    </>
  );
}

const NARROWED = ['storyId', 'tag'] as const;

function Ask({ route, strategy }: { route: Route; strategy: string }) {
  const { query } = route;
  return (
    <div class="filters">
      <Segments
        label="Strategy"
        choices={Object.keys(STRATEGIES).map((name) => ({
          name,
          address: withQuery(route, { strategy: name }),
          current: name === strategy,
        }))}
      />
      <label class="line">
        Budget, minutes
        <input
          class="input budget"
          type="number"
          min="0"
          step="any"
          placeholder="none"
          value={query.get('budget') ?? ''}
          onChange={({ currentTarget }) => go(withQuery(route, { budget: currentTarget.value }))}
        />
      </label>
      {NARROWED.filter((name) => query.has(name)).map((name) => (
        <Chip key={name} address={withQuery(route, { [name]: null })} pressed>
          {name}: {query.getAll(name).join(', ')}
        </Chip>
      ))}
      <span class="faint small">{STRATEGIES[strategy as keyof typeof STRATEGIES]}</span>
    </div>
  );
}

interface ShownProps {
  draft: Draft;
  request: ReturnType<typeof requestOf>;
}

function Shown({ draft, request }: ShownProps) {
  const { items, covered, uncovered, estimateMs } = draft;
  const planned = items.filter(({ cut }) => !cut);
  const cut = items.length - planned.length;
  if (items.length === 0)
    return (
      <Empty title="Nothing to run by this strategy">
        <p>A plan is made of test commands, which an agent runs where it is. This registers one:</p>
        <Copyable
          text={
            'POST /api/test-commands\n{ "key": "unit", "argv": ["npm", "test"], "report": { "format": "junit", "path": "junit.xml" } }'
          }
        />
      </Empty>
    );
  return (
    <div class="stack">
      <section class="card plan-sum" aria-label="Plan">
        <p class="answer">
          <b>
            {counted(planned.length, 'command')} in {duration(estimateMs)}
          </b>{' '}
          <span class="second">
            cover {covered.length} of {counted(covered.length + uncovered.length, 'requirement')}
            {cut > 0 && `; ${cut} more ${cut === 1 ? 'has' : 'have'} no room in the budget`}.
          </span>
        </p>
        {planned.length > 0 && <Make key={JSON.stringify(request)} request={request} />}
      </section>
      <div class="columns">
        <Order draft={draft} budgetMs={request.budgetMs} />
        <div class="stack">
          <Early draft={draft} />
          <Uncovered uncovered={uncovered} />
        </div>
      </div>
    </div>
  );
}

function Make({ request }: Pick<ShownProps, 'request'>) {
  const [planId, setPlanId] = useState<string>();
  const make = useAction(async () => {
    const plan = (await dataOf(askPlan<Stored>(request))) as Stored;
    setPlanId(plan.id);
  });
  if (planId === undefined)
    return (
      <>
        <button
          type="button"
          class="button primary"
          disabled={make.busy}
          onClick={() => make.run()}
        >
          Make this plan
        </button>
        <Refusal problem={make.problem} />
      </>
    );
  return (
    <div role="status" class="stack" data-plan={planId}>
      <p>
        <b>The plan is made.</b> Agents that ask get it item by item:{' '}
        <a class="link" href={href('live')}>
          follow it live
        </a>
        .
      </p>
      <Copyable
        text={`pqrs agent --url ${location.origin} --token-file agent.token --plan ${planId}`}
      />
    </div>
  );
}
