// One run: what failed first, with its message, since when, and the stories it hurts.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, dataOf, useAction, useAnswer } from '../../core/api.ts';
import { bytes, commitName, counted, duration, grouped } from '../../core/format.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Strip } from '../../parts/charts.tsx';
import { Fields } from '../../parts/fields.tsx';
import { Card, Chip, PageHead } from '../../parts/layout.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Empty, Load, Refusal } from '../../parts/states.tsx';
import { OutcomeIcon } from '../../parts/status.tsx';
import { StoryLink, Time } from '../../parts/text.tsx';
import { askRuns, failuresOf, type Result, type Run, timeOfRun } from './ask.ts';
import { ResultRow } from './result.tsx';

const LIMIT = 25;
/** For as long as the page may stay open before its pictures are shown. */
const LINK_SECONDS = 3600;
const FAILING = ['failed', 'broken'] as const;
const RESULT_STATUSES = ['failed', 'broken', 'passed', 'skipped', 'unknown'] as const;

export function RunDetail({ id, route }: { id: string; route: Route }) {
  const shown = route.query.get('status');
  const cursor = route.query.get('cursor') ?? undefined;
  const status = RESULT_STATUSES.filter((one) => one === shown);
  const answer = useAnswer(
    (signal) => {
      const chosen = shown === 'all' ? undefined : status.length > 0 ? status : [...FAILING];
      return askRuns<Run>(
        { id, status: chosen, limit: LIMIT, cursor, linkTtl: LINK_SECONDS },
        signal,
      );
    },
    [shown, cursor],
  );
  if (answer.problem?.status === 404) return <NotRecorded id={id} answer={answer} />;
  return (
    <>
      {!answer.data && <PageHead title="Run" parent={RUNS} />}
      <Load answer={answer}>
        {(run) => <Shown run={run} route={route} shown={status[0] ?? shown ?? 'failing'} />}
      </Load>
    </>
  );
}

const RUNS = { title: 'Runs', address: href('runs') };

interface ShownProps {
  run: Run;
  route: Route;
  shown: string;
}

function Shown({ run, route, shown }: ShownProps) {
  const { items, nextCursor } = run.results;
  const command = useCommand(run.commandId);
  const failing = items.filter(({ status }) => FAILING.includes(status as 'failed'));
  const hurt = [...new Set(failing.flatMap(({ storyIds }) => storyIds))];
  return (
    <>
      <PageHead
        title={run.name}
        parent={RUNS}
        sub={
          run.commit && (
            <>
              <a class="mono" href={href('runs', [], { commit: run.commit })}>
                {commitName(run.commit)}
              </a>
              {run.branch && ` on ${run.branch}`}
            </>
          )
        }
      >
        <CompareLink run={run} strip={command?.strip ?? []} />
        {run.commandId && <RunAgain commandId={run.commandId} />}
      </PageHead>
      <div class="columns">
        <div class="stack">
          <Verdict run={run} strip={command?.strip ?? []} />
          <StatusChips run={run} route={route} shown={shown} />
          <Results items={items} run={run} shown={shown} route={route} />
          <Pager route={route} next={nextCursor} />
        </div>
        <aside class="stack" aria-label="About the run">
          <Facts run={run} />
          <Attachments attachments={run.attachments} />
          {hurt.length > 0 && (
            <Card title="Requirements it hurts" aside={nextCursor ? 'of this page' : hurt.length}>
              <div class="inside line">
                {hurt.map((storyId) => (
                  <StoryLink key={storyId} id={storyId} />
                ))}
              </div>
            </Card>
          )}
          {command && command.argv.length > 0 && (
            <Card title="Run it by hand">
              <div class="inside">
                <pre class="code">{command.argv.map(quoted).join(' ')}</pre>
              </div>
            </Card>
          )}
        </aside>
      </div>
    </>
  );
}

type Outcomes = Result['strip'];

/** The command of a run, for how it went of late and what it runs. */
function useCommand(id: string | null) {
  const { data } = useAnswer(
    () => (id ? api()['test-commands'].get({ query: { id } }) : undefined),
    [id],
  );
  return data && 'strip' in data ? data : undefined;
}

function Verdict({ run, strip }: { run: Run; strip: Outcomes }) {
  const { passed, skipped, unknown, flaky, tests } = run.totals;
  const failures = failuresOf(run);
  const others = [
    passed > 0 && failures > 0 && `${grouped(passed)} passed`,
    skipped > 0 && `${grouped(skipped)} skipped`,
    unknown > 0 && `${grouped(unknown)} unknown`,
    flaky > 0 && `${grouped(flaky)} passed and failed`,
  ];
  return (
    <section class="card verdict" aria-label="How it went">
      <div class="line">
        <OutcomeIcon outcome={run.status} size="large" />
        <b class="says">
          {failures > 0
            ? `${grouped(failures)} of ${counted(tests, 'test')} failed`
            : run.status === 'broken'
              ? 'The run broke'
              : `All ${counted(passed, 'test')} passed`}
        </b>
        <span class="second">{others.filter(Boolean).join(', ')}</span>
        <span class="grow" />
        <Strip outcomes={strip} />
      </div>
      {!run.counts && <p class="second">It does not count for coverage and statistics.</p>}
      {run.harnessErrors.map(({ code, detail }) => (
        <p key={code} class="message">
          {detail || code}
        </p>
      ))}
    </section>
  );
}

function StatusChips({ run, route, shown }: ShownProps) {
  const { totals } = run;
  const chips: [name: string, count: number, icon?: string][] = [
    ['failing', failuresOf(run), 'failed'],
    ['passed', totals.passed, 'passed'],
    ['skipped', totals.skipped, 'skipped'],
    ['unknown', totals.unknown, 'unknown'],
    ['all', totals.tests],
  ];
  return (
    <div class="line">
      {chips
        .filter(([name, count]) => count > 0 || name === shown)
        .map(([name, count, icon]) => (
          <Chip
            key={name}
            address={withQuery(route, {
              status: name === 'failing' ? null : name,
              cursor: null,
              test: null,
            })}
            pressed={name === shown}
            count={count}
          >
            {icon && <OutcomeIcon outcome={icon} size="small" />}
            {name}
          </Chip>
        ))}
    </div>
  );
}

function Results({ items, run, shown, route }: { items: Result[] } & ShownProps) {
  const chosen = route.query.get('test');
  if (items.length > 0)
    return (
      <div class="results">
        {items.map((result, index) => (
          <ResultRow
            key={`${result.testKey} ${index}`}
            result={result}
            run={run}
            startsOpen={chosen ? chosen === result.testKey : index === 0 && shown === 'failing'}
            address={withQuery(route, { test: result.testKey })}
          />
        ))}
      </div>
    );
  if (shown !== 'failing' || run.totals.tests === 0)
    return <Empty title="No result is like that" />;
  return (
    <Empty title="No test failed">
      <a class="button" href={withQuery(route, { status: 'all' })}>
        Show all {grouped(run.totals.tests)}
      </a>
    </Empty>
  );
}

/** Compares with the run of the same command before it, where that is known. */
function CompareLink({ run, strip }: { run: Run; strip: Outcomes }) {
  const at = strip.findIndex(({ runId }) => runId === run.id);
  const before = strip[at - 1];
  return (
    <a class="button" href={href('runs', [run.id, 'compare', ...(before ? [before.runId] : [])])}>
      Compare{before && ` with ${commitName(before.commit) || 'the run before'}`}
    </a>
  );
}

function RunAgain({ commandId }: { commandId: string }) {
  const again = useAction(async () => {
    await dataOf(api().agent.plan.post({ plan: { items: [{ commandId }] } }));
    go(href('live'));
  });
  if (!useMay('POST /agent/plan')) return null;
  return (
    <>
      <button type="button" class="button" disabled={again.busy} onClick={() => again.run()}>
        Run again
      </button>
      <Refusal problem={again.problem} />
    </>
  );
}

function Facts({ run }: { run: Run }) {
  const { agent, author, tool, format } = run;
  const facts: [string, ComponentChildren][] = [
    ['When', <Time key="at" at={timeOfRun(run)} />],
    ['Took', duration(run.durationMs)],
    ['Commit', run.commit && <span class="mono">{run.commit}</span>],
    ['Branch', run.branch],
    ['Where', run.environment],
    ['Agent', agent && `${agent.name} ${agent.version ?? ''}`],
    ['Report', [tool, format].filter(Boolean).join(', ')],
    ['Revision', run.revision],
    ['Sent by', author.label ?? author.tokenId],
    [
      'Id',
      <span key="id" class="mono">
        {run.id}
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

function Attachments({ attachments }: Pick<Run, 'attachments'>) {
  if (attachments.length === 0) return null;
  return (
    <Card title="Attachments" aside={String(attachments.length)}>
      <ul class="inside attachments">
        {attachments.map(({ id, name, bytes: size, mediaType, url }) => (
          <li key={id}>
            <a class="link" href={url} target="_blank" rel="noreferrer noopener">
              {mediaType.startsWith('image/') && <img src={url} alt="" loading="lazy" />}
              {name}
            </a>{' '}
            <span class="faint">{bytes(size)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A run that an agent holds has no results yet: it is shown where live runs are. */
function NotRecorded({ id, answer }: { id: string; answer: ReturnType<typeof useAnswer> }) {
  const held = useAnswer(() => api()['run-state'].get({ query: { runId: id } }), [id]);
  useEffect(() => {
    if (held.data) go(href('live', id), true);
  }, [held.data]);
  return (
    <>
      <PageHead title="Run" parent={RUNS} />
      {held.problem && <Load answer={answer}>{() => null}</Load>}
    </>
  );
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
