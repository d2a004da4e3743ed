// The views of tests beside each other, and the lists of two of them alone.
import { useAnswer } from '../../core/api.ts';
import { counted, fileName, grouped } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Card, PageHead } from '../../parts/layout.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { askRuns, type Flaky, filtersOf, RUN_FILTERS, type Slowest } from '../runs/ask.ts';
import { RunFilters } from '../runs/filters.tsx';
import { FlakyTable, SlowestTable, TestLink } from './tables.tsx';
import { TrendCard } from './trend.tsx';

const SHOWN = 10;
const GROUPS_SHOWN = 10;
const TESTS = { title: 'Tests', address: href('tests') };

function useView<T>(view: 'flaky' | 'slowest', { query }: Route, limit?: number) {
  const filters = filtersOf(query, RUN_FILTERS);
  const cursor = limit ? undefined : (query.get('cursor') ?? undefined);
  return useAnswer(
    (signal) => askRuns<T>({ ...filters, view, limit, cursor }, signal),
    [JSON.stringify(filters), cursor, view],
  );
}

export function TestsOverview({ route }: { route: Route }) {
  const flaky = useView<Flaky>('flaky', route, SHOWN);
  const slowest = useView<Slowest>('slowest', route, SHOWN);
  const of = flaky.data?.window;
  if (of?.runs === 0 && route.query.size === 0) return <NoTests />;
  return (
    <>
      <PageHead
        title="Tests"
        sub={of && `the newest ${counted(of.runs, 'run')}, ${counted(of.results, 'result')}`}
      />
      <div class="filters">
        <RunFilters route={route} />
      </div>
      {flaky.data && <p class="says">{sentence(flaky.data)}</p>}
      <div class="columns">
        <div class="stack">
          <Card
            title="Flaky"
            aside={<AllOf total={flaky.data?.total} to={withQuery(route, { list: 'flaky' })} />}
          >
            <Load answer={flaky}>
              {({ items }) =>
                items.length > 0 ? (
                  <FlakyTable tests={items} />
                ) : (
                  <Empty title="No test both passed and failed on one commit" />
                )
              }
            </Load>
          </Card>
          {flaky.data && <Groups groups={flaky.data.groups} />}
        </div>
        <div class="stack">
          <TrendCard route={route} />
          <Card
            title="Slowest"
            aside={<AllOf total={slowest.data?.total} to={withQuery(route, { list: 'slowest' })} />}
          >
            <Load answer={slowest}>
              {({ items }) =>
                items.length > 0 ? (
                  <SlowestTable tests={items} />
                ) : (
                  <Empty title="No result says how long it took" />
                )
              }
            </Load>
          </Card>
        </div>
      </div>
    </>
  );
}

function sentence({ total, groups, window }: Flaky): string {
  if (window.runs === 0) return 'No run is like that';
  const together =
    groups.length > 0 ? `, ${counted(groups.length, 'group fails', 'groups fail')} together` : '';
  return total === 0 ? `No test is flaky${together}` : `${counted(total, 'flaky test')}${together}`;
}

function AllOf({ total = 0, to }: { total: number | undefined; to: string }) {
  return total > SHOWN ? <a href={to}>All {grouped(total)}</a> : <span>{total}</span>;
}

function Groups({ groups }: Pick<Flaky, 'groups'>) {
  if (groups.length === 0) return null;
  return (
    <Card title="Fail together" aside="likely one cause each">
      {groups.slice(0, GROUPS_SHOWN).map((group, index) => {
        const [first] = group.tests;
        const where = first?.path[0] ?? fileName(first?.file ?? '');
        return (
          <details key={first?.testKey} class="together" open={index === 0}>
            <summary>
              <b>
                {counted(group.size, 'test')} {where && `of ${where}`}
              </b>{' '}
              <span class="second">
                in {counted(group.runs, 'run')}
                {group.flaky > 0 && `, ${group.flaky} flaky`}
              </span>
            </summary>
            <ul>
              {group.tests.map((test) => (
                <li key={test.testKey} class="cut">
                  <TestLink test={test} />
                </li>
              ))}
              {group.size > group.tests.length && (
                <li class="second">and {group.size - group.tests.length} more</li>
              )}
            </ul>
          </details>
        );
      })}
    </Card>
  );
}

export function FlakyList({ route }: { route: Route }) {
  const answer = useView<Flaky>('flaky', route);
  return (
    <>
      <PageHead
        title="Flaky tests"
        parent={TESTS}
        sub={answer.data && counted(answer.data.total, 'test')}
      />
      <Load answer={answer}>
        {({ items }) => (
          <div class="card">
            <FlakyTable tests={items} />
          </div>
        )}
      </Load>
      <Pager route={route} next={answer.data?.nextCursor} />
    </>
  );
}

export function SlowestList({ route }: { route: Route }) {
  const answer = useView<Slowest>('slowest', route);
  return (
    <>
      <PageHead
        title="Slowest tests"
        parent={TESTS}
        sub={answer.data && counted(answer.data.total, 'test')}
      />
      <Load answer={answer}>
        {({ items }) => (
          <div class="card">
            <SlowestTable tests={items} />
          </div>
        )}
      </Load>
      <Pager route={route} next={answer.data?.nextCursor} />
    </>
  );
}

function NoTests() {
  return (
    <>
      <PageHead title="Tests" />
      <Empty title="No test has reported yet">
        <p>Send what your tests wrote: JUnit, CTRF or TAP.</p>
        <Copyable text={`pqrs report junit.xml --url ${location.origin} --token-file ci.token`} />
      </Empty>
    </>
  );
}
