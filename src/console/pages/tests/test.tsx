// One test: how stable it is, its stories, the command that runs it, and its results, newest first.
import { useAnswer } from '../../core/api.ts';
import { commitName, counted, duration, testName } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Strip } from '../../parts/charts.tsx';
import { Card, Chip, PageHead } from '../../parts/layout.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { OutcomeIcon, StatusIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { askRuns, filtersOf, type History } from '../runs/ask.ts';
import { CommandCard } from './command.tsx';

const TESTS = { title: 'Tests', address: href('tests') };
const STATUSES = ['failed', 'broken', 'passed', 'skipped'] as const;
const STRIP = 20;

export function TestDetail({ testKey, route }: { testKey: string; route: Route }) {
  const filters = filtersOf(route.query, ['branch', 'commit', 'environment']);
  const status = STATUSES.find((one) => one === route.query.get('status'));
  const cursor = route.query.get('cursor') ?? undefined;
  const answer = useAnswer(
    (signal) =>
      askRuns<History>({ testKey, ...filters, status: status && [status], cursor }, signal),
    [JSON.stringify(filters), status, cursor],
  );
  const chip = (one: (typeof STATUSES)[number] | undefined) => (
    <Chip
      key={one}
      address={withQuery(route, { status: one, cursor: null })}
      pressed={one === status}
    >
      {one && <OutcomeIcon outcome={one} size="small" />}
      {one ?? 'all'}
    </Chip>
  );
  const { data } = answer;
  return (
    <>
      <PageHead
        title={data ? testName(data.test.name) : 'Test'}
        parent={TESTS}
        sub={data?.test.file && <span class="mono">{placeOf(data.test)}</span>}
      />
      <Load answer={answer}>
        {(history) => (
          <div class="columns">
            <div class="stack">
              <Stability history={history} />
              <div class="line">{[undefined, ...STATUSES].map(chip)}</div>
              <Results items={history.items} route={route} />
              <Pager route={route} next={history.nextCursor} />
            </div>
            <aside class="stack" aria-label="About the test">
              <Stories items={history.items} />
              {history.items[0]?.run.commandId && (
                <CommandCard commandId={history.items[0].run.commandId} />
              )}
            </aside>
          </div>
        )}
      </Load>
    </>
  );
}

function placeOf({ file, line }: History['test']): string {
  return line ? `${file}:${line}` : (file ?? '');
}

function Stability({ history: { flakiness, items, test } }: { history: History }) {
  const { flaky, runs, failed, withinRun, acrossRuns } = flakiness;
  const outcomes = items
    .slice(0, STRIP)
    .map(({ status, flaky: wasFlaky, run: { id, at, commit } }) => {
      return { status, flaky: wasFlaky, runId: id, at, commit };
    })
    .toReversed();
  return (
    <section class="card verdict" aria-label="How stable it is">
      <div class="line">
        {flaky ? (
          <StatusIcon status="suspect" size="large" />
        ) : (
          <OutcomeIcon outcome={items[0]?.status ?? 'unknown'} size="large" />
        )}
        <b class="says">{flaky ? 'Flaky' : failed > 0 ? 'Not flaky' : 'Stable'}</b>
        <span class="second grow">
          failed {failed} of {counted(runs, 'run')}
          {withinRun > 0 && `, did both in ${withinRun}`}
          {acrossRuns > 0 && `, did both on ${counted(acrossRuns, 'commit')}`}
        </span>
        <Strip outcomes={outcomes} />
      </div>
      <p class="second small path">{[...test.path, test.name].join(' > ')}</p>
    </section>
  );
}

function Results({ items, route }: { items: History['items']; route: Route }) {
  if (items.length === 0) return <Empty title="No result is like that" />;
  return (
    <div class="card">
      <table>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col" class="wide-only">
              Message
            </th>
            <th scope="col" class="wide-only">
              Commit
            </th>
            <th scope="col" class="large-only">
              Where
            </th>
            <th scope="col" class="number wide-only">
              Took
            </th>
            <th scope="col" class="number">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ status, flaky, message, durationMs, run }, index) => (
            <tr key={`${run.id} ${index}`}>
              <td>
                <span class="line nowrap">
                  <OutcomeIcon outcome={status} />
                  <a class="link cut" data-row href={href('runs', run.id)}>
                    {run.name}
                  </a>
                  {flaky && <span class="tag suspect">flaky</span>}
                </span>
              </td>
              <td class="wide wide-only">
                <span class="mono small cut block" title={message ?? undefined}>
                  {message}
                </span>
              </td>
              <td class="wide-only mono">
                {run.commit && (
                  <a class="narrow" href={withQuery(route, { commit: run.commit, cursor: null })}>
                    {commitName(run.commit)}
                  </a>
                )}
              </td>
              <td class="large-only nowrap">{run.environment}</td>
              <td class="number wide-only nowrap">{duration(durationMs)}</td>
              <td class="number nowrap second">
                <Time at={run.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Stories({ items }: Pick<History, 'items'>) {
  const ids = items[0]?.storyIds ?? [];
  return (
    <Card title="Verifies" aside={String(ids.length)}>
      <p class="inside line">
        {ids.map((id) => (
          <StoryLink key={id} id={id} />
        ))}
        {ids.length === 0 && (
          <span class="second">Its name holds no story's id, such as [PAY-1].</span>
        )}
      </p>
    </Card>
  );
}
