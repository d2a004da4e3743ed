// What changed from one run, commit or branch to another.
import { useAnswer } from '../../core/api.ts';
import { commitName, counted, duration, grouped, testName, words } from '../../core/format.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { askRuns, type Comparison, type Run, type RunPage, timeOfRun } from './ask.ts';

const RUNS = { title: 'Runs', address: href('runs') };
const LIMIT = 40;
const CHANGES = ['newly_failing', 'still_failing', 'newly_passing', 'new', 'gone'] as const;

interface CompareProps {
  from: string;
  to: string;
  route: Route;
}

export function Compare({ from, to, route }: CompareProps) {
  const change = CHANGES.find((one) => one === route.query.get('change'));
  const cursor = route.query.get('cursor') ?? undefined;
  const answer = useAnswer(
    (signal) => {
      const chosen = { ...(change && { change: [change] }), cursor };
      return askRuns<Comparison>({ view: 'compare', from, to, limit: LIMIT, ...chosen }, signal);
    },
    [change, cursor],
  );
  const chip = (one: (typeof CHANGES)[number] | undefined, count: number) => (
    <Chip
      key={one}
      address={withQuery(route, { change: one, cursor: null })}
      pressed={one === change}
      count={count}
    >
      {one ? words(one) : 'All'}
    </Chip>
  );
  return (
    <>
      <PageHead title="What changed" parent={RUNS}>
        <a class="button" href={href('runs', [to, 'compare'])}>
          Compare others
        </a>
        <a class="button" href={href('runs', [from, 'compare', to])}>
          The other way round
        </a>
      </PageHead>
      <div class="halves sides">
        <Side title="Before" name={from} />
        <Side title="After" name={to} />
      </div>
      <Load answer={answer}>
        {({ counts, items }) => {
          const changed = Object.values(counts).reduce((sum, count) => sum + count, 0);
          return (
            <>
              <p class="says">{sentence(counts)}</p>
              <div class="filters">
                {chip(undefined, changed)}
                {CHANGES.map((one) => chip(one, counts[one]))}
              </div>
              {items.length > 0 && <Changes items={items} />}
            </>
          );
        }}
      </Load>
      <Pager route={route} next={answer.data?.nextCursor} />
    </>
  );
}

function sentence(counts: Comparison['counts']): string {
  if (counts.newly_failing > 0) return `${counted(counts.newly_failing, 'test')} newly failing`;
  return counts.still_failing > 0
    ? `Nothing fails anew, ${counted(counts.still_failing, 'test')} still`
    : 'Nothing fails';
}

/** A run by its summary; a commit or branch by its name. */
function Side({ title, name }: { title: string; name: string }) {
  const isRun = name.startsWith('run_');
  const { data: run } = useAnswer(
    () => (isRun ? askRuns<Run>({ id: name, status: ['broken'], limit: 1 }) : undefined),
    [name],
  );
  if (!isRun)
    return (
      <div class="card inside">
        <span class="small faint">{title}</span>
        <b class="mono cut block">{name}</b>
      </div>
    );
  return (
    <a class="card inside" href={href('runs', name)}>
      <span class="small faint">{title}</span>
      {run && (
        <>
          <span class="line">
            <OutcomeIcon outcome={run.status} />
            <b>{run.name}</b>
            <span class="mono">{commitName(run.commit)}</span>
          </span>
          <span class="second small">
            {[
              `${grouped(run.totals.passed)} of ${counted(run.totals.tests, 'test')} passed`,
              duration(run.durationMs),
              run.environment,
            ]
              .filter(Boolean)
              .join(', ')}
            , <Time at={timeOfRun(run)} />
          </span>
        </>
      )}
    </a>
  );
}

function Changes({ items }: Pick<Comparison, 'items'>) {
  return (
    <div class="card">
      <table>
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col">Change</th>
            <th scope="col" class="wide-only">
              Stories
            </th>
            <th scope="col" class="wide-only">
              Of late
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ testKey, name, change, from, to, storyIds, strip }) => (
            <tr key={testKey}>
              <td class="wide">
                <span class="line nowrap">
                  <OutcomeIcon outcome={from ?? 'none before'} size="small" />
                  <Icon name="arrow" />
                  <OutcomeIcon outcome={to ?? 'none after'} size="small" />
                  <a class="mono cut" href={href('tests', testKey)} data-row title={name}>
                    {testName(name)}
                  </a>
                </span>
              </td>
              <td class="nowrap">{words(change)}</td>
              <td class="wide-only nowrap">
                {storyIds.slice(0, 2).map((storyId) => (
                  <StoryLink key={storyId} id={storyId} />
                ))}
              </td>
              <td class="wide-only">
                <Strip outcomes={strip} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Asks for what is to be compared: earlier runs of the same command, or any run, commit or branch. */
export function ChooseSides({ to }: { to: string }) {
  const run = useAnswer(
    () =>
      to.startsWith('run_') ? askRuns<Run>({ id: to, status: ['broken'], limit: 1 }) : undefined,
    [to],
  );
  const commandId = run.data?.commandId;
  const runs = useAnswer(
    () =>
      to && run.loading
        ? undefined
        : askRuns<RunPage>({ ...(commandId && { commandId: [commandId] }), limit: 20 }),
    [commandId, run.loading],
  );
  const compare = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    go(href('runs', [`${form.get('to')}`.trim(), 'compare', `${form.get('from')}`.trim()]));
  };
  return (
    <>
      <PageHead title="Compare" parent={RUNS} sub="runs, commits or branches" />
      <form class="filters" onSubmit={compare}>
        <input
          class="input grow mono"
          name="from"
          required
          placeholder="Before"
          aria-label="Before"
        />
        <input
          class="input grow mono"
          name="to"
          required
          defaultValue={to}
          placeholder="After"
          aria-label="After"
        />
        <button type="submit" class="button primary">
          Compare
        </button>
      </form>
      {to && (
        <Load answer={runs}>
          {({ items }) => {
            const others = items.filter(({ id }) => id !== to);
            if (others.length === 0) return <Empty title="There is no other run" />;
            return (
              <div class="card">
                {others.map((one) => (
                  <a key={one.id} class="row" data-row href={href('runs', [to, 'compare', one.id])}>
                    <OutcomeIcon outcome={one.status} />
                    <b>{one.name}</b>
                    <span class="mono second">{commitName(one.commit)}</span>
                    <span class="grow" />
                    <span class="second">
                      <Time at={timeOfRun(one)} />
                    </span>
                  </a>
                ))}
              </div>
            );
          }}
        </Load>
      )}
    </>
  );
}
