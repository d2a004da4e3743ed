// The list of runs, the newest first, with how many ended how.
import { api, useAnswer } from '../../core/api.ts';
import { commitName, counted, day, duration, grouped } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { type Outcome, Strip } from '../../parts/charts.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import {
  askRuns,
  filtersOf,
  RUN_FILTERS,
  type RunPage,
  type RunSummary,
  timeOfRun,
} from './ask.ts';
import { RunFilters } from './filters.tsx';
import { RunOutcome } from './outcome.tsx';

const STATUSES = ['failed', 'broken', 'passed'] as const;

export function RunList({ route }: { route: Route }) {
  const { query } = route;
  const filters = filtersOf(query, RUN_FILTERS);
  const status = STATUSES.find((one) => one === query.get('status'));
  const cursor = query.get('cursor') ?? undefined;
  const narrowed = JSON.stringify(filters);
  const counts = useAnswer(
    (signal) => askRuns<RunPage>({ ...filters, count: true, limit: 1 }, signal),
    [narrowed],
  );
  const list = useAnswer(
    (signal) =>
      askRuns<RunPage>({ ...filters, ...(status && { status: [status] }), cursor }, signal),
    [narrowed, status, cursor],
  );
  const both = {
    ...list,
    reload() {
      counts.reload();
      list.reload();
    },
  };
  const stripOf = useStrips(list.data?.items);
  const { statuses, more, total } = counts.data ?? {};
  const chip = (one: (typeof STATUSES)[number] | undefined, count: number | undefined) => (
    <Chip
      key={one}
      address={withQuery(route, { status: one, cursor: null })}
      pressed={one === status}
      count={count}
    >
      {one && <OutcomeIcon outcome={one} size="small" />}
      {one ?? 'All'}
    </Chip>
  );
  return (
    <>
      <PageHead title="Runs" sub={statuses && sentence(statuses, total, more)}>
        <a class="button" href={href('runs', 'compare')}>
          Compare
        </a>
      </PageHead>
      <div class="filters">
        {chip(undefined, total)}
        {STATUSES.map((one) => chip(one, statuses?.[one]))}
        <RunFilters route={route} runs={list.data?.items ?? []} />
      </div>
      <Load answer={both}>
        {({ items }) =>
          items.length > 0 ? (
            <RunTable route={route} runs={items} stripOf={stripOf} />
          ) : (
            <NoRuns isNarrowed={query.size > 0} />
          )
        }
      </Load>
      <Pager route={route} next={list.data?.nextCursor} />
    </>
  );
}

const STRIP = 12;

type StripOf = (run: RunSummary) => Outcome[];

/** How the commands of listed runs went of late, up to the run: asked for by their names, which runs bear. */
function useStrips(runs: RunSummary[] | undefined): StripOf {
  const names = [
    ...new Set(runs?.flatMap(({ commandId, name }) => (commandId ? name : []))),
  ].sort();
  const { data } = useAnswer(
    () =>
      names.length > 0
        ? api()['test-commands'].get({ query: { name: names, limit: names.length } })
        : undefined,
    [names.join('\n')],
  );
  const commands = data && 'items' in data ? data.items : [];
  return ({ id, commandId }) => {
    const strip = commands.find((command) => command.id === commandId)?.strip ?? [];
    const at = strip.findIndex(({ runId }) => runId === id);
    return strip.slice(Math.max(0, at + 1 - STRIP), at + 1);
  };
}

function sentence(
  { failed, broken }: { failed: number; broken: number },
  total = 0,
  more?: true,
): string {
  if (total === 0) return 'none';
  const of = `of ${more ? 'the newest ' : ''}${counted(total, 'run')}`;
  if (failed + broken === 0) return `none ${of} failed`;
  return `${grouped(failed)} ${of} failed${broken > 0 ? `, ${grouped(broken)} broke` : ''}`;
}

interface RunTableProps {
  route: Route;
  runs: RunSummary[];
  stripOf: StripOf;
}

function RunTable({ route, runs, stripOf }: RunTableProps) {
  const days = Map.groupBy(runs, (run) => day(timeOfRun(run)));
  return (
    <div class="card">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" class="wide-only">
              Last runs
            </th>
            <th scope="col" class="wide-only">
              Results
            </th>
            <th scope="col" class="wide-only">
              Commit
            </th>
            <th scope="col" class="large-only">
              Where
            </th>
            <th scope="col" class="large-only">
              Agent
            </th>
            <th scope="col" class="large-only number">
              Took
            </th>
            <th scope="col" class="number">
              When
            </th>
          </tr>
        </thead>
        {[...days].map(([name, of]) => (
          <tbody key={name}>
            <tr>
              <th colSpan={8} scope="rowgroup">
                {name}
              </th>
            </tr>
            {of.map((run) => (
              <RunRow key={run.id} route={route} run={run} strip={stripOf(run)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface RunRowProps {
  route: Route;
  run: RunSummary;
  strip: Outcome[];
}

function RunRow({ route, run, strip }: RunRowProps) {
  const only = (name: string, value: string | null | undefined, shown?: string) =>
    value && (
      <a
        class="narrow"
        href={withQuery(route, { [name]: value, cursor: null })}
        title={`Only ${name} ${value}`}
      >
        {shown ?? value}
      </a>
    );
  return (
    <tr>
      <td class="wide">
        <span class="line nowrap">
          <OutcomeIcon outcome={run.status} />
          <a class="whole-row strong cut" href={href('runs', run.id)} data-row>
            {run.name}
          </a>
          {!run.counts && <span class="tag plain">{run.late ? 'late' : 'does not count'}</span>}
        </span>
      </td>
      <td class="wide-only">
        <Strip outcomes={strip} />
      </td>
      <td class="wide-only">
        <RunOutcome run={run} />
      </td>
      <td class="wide-only mono">{only('commit', run.commit, commitName(run.commit))}</td>
      <td class="large-only cut">{only('environment', run.environment)}</td>
      <td class="large-only">{only('agent', run.agent?.name)}</td>
      <td class="large-only number second">{duration(run.durationMs)}</td>
      <td class="number second">
        <Time at={timeOfRun(run)} />
      </td>
    </tr>
  );
}

function NoRuns({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No run is like that">
        <a class="button" href={href('runs')}>
          Show all
        </a>
      </Empty>
    );
  return (
    <Empty title="No run was reported yet">
      <p>Send what your tests wrote: JUnit, CTRF or TAP.</p>
      <Copyable text={`pqrs report junit.xml --url ${location.origin} --token-file ci.token`} />
    </Empty>
  );
}
