// Is the project fit to ship, and what keeps it from that?
import type { Overview } from '../../../assurance/overview/model.ts';
import { api, type Having, useAnswer } from '../../core/api.ts';
import { clock, commitName, counted, minute, testName } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { useMe } from '../../frame/caller.ts';
import { Icon } from '../../parts/icons.tsx';
import { Card, PageHead, Progress } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { OutcomeIcon, SeverityIcon, StatusIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import { AttentionList } from './attention.tsx';
import { Fit } from './fit.tsx';
import { Trend } from './trend.tsx';

export function Page() {
  const { project } = useMe();
  const answer = useAnswer(
    () => api()['project-traceability'].get({ query: { view: 'overview' } }),
    [],
  );
  return (
    <>
      <PageHead title="Overview" sub={`as of ${minute(new Date().toISOString())} UTC`}>
        <a class="button" href={href('gate')}>
          <Icon name="gate" /> Gate
        </a>
        <button type="button" class="button" onClick={() => print()}>
          <Icon name="print" /> Print
        </button>
      </PageHead>
      <p class="print-only">
        {project.name}, revision {project.revision}
      </p>
      <Load answer={answer}>
        {(data) => <Shown overview={data as Having<typeof data, 'fit'>} />}
      </Load>
    </>
  );
}

function Shown({ overview }: { overview: Overview }) {
  return (
    <div class="stack">
      <Fit overview={overview} />
      <div class="columns">
        <div class="stack">
          <AttentionList attention={overview.attention} />
          <Trend />
          <NewestRuns runs={overview.runs} />
        </div>
        <div class="stack">
          <AgentsAtWork agents={overview.agents} />
          <Changes overview={overview} />
          <Findings findings={overview.findings} />
          <Unstable unstable={overview.unstable} />
        </div>
      </div>
    </div>
  );
}

function NewestRuns({ runs }: Pick<Overview, 'runs'>) {
  return (
    <Card title="Newest runs" aside={<a href={href('runs')}>All runs</a>}>
      {runs.newest.map(({ id, name, status, commit, environment, totals, startedAt }) => (
        <a key={id} class="row" href={href('runs', id)}>
          <OutcomeIcon outcome={status} />
          <span class="grow cut">
            {name} <span class="faint mono">{commitName(commit)}</span>
          </span>
          <span class="faint small">
            {totals.failed + totals.broken > 0 && `${totals.failed + totals.broken} of `}
            {counted(totals.tests, 'test')}
            {environment && `, ${environment}`}, <Time at={startedAt} />
          </span>
        </a>
      ))}
      {runs.newest.length === 0 && (
        <p class="inside second">
          No run yet: <code>pqrs report junit.xml</code> sends the first.
        </p>
      )}
    </Card>
  );
}

function AgentsAtWork({ agents }: Pick<Overview, 'agents'>) {
  return (
    <Card title="Agents at work" aside={<a href={href('live')}>Live</a>}>
      {agents.items.map(({ leaseId, name, total, leaseExpiresAt, runs }) => (
        <div key={leaseId} class="agent">
          <p class="line">
            <Icon name="agent" />
            <b class="strong">{name ?? 'An agent'}</b>
            <span class="faint small">
              {counted(total, 'item')}, lease until {clock(leaseExpiresAt).slice(0, 5)} UTC
            </span>
          </p>
          {runs.map(({ runId, name: item, state, progress }) => (
            <a key={runId} class="line small" href={href('runs', runId)}>
              <span class="cut">{item ?? runId}</span>
              {progress?.total ? (
                <>
                  <span class="grow">
                    <Progress
                      done={progress.done ?? 0}
                      total={progress.total}
                      name={item ?? runId}
                    />
                  </span>
                  <span class="faint">
                    {progress.done} of {progress.total}
                  </span>
                </>
              ) : (
                <span class="faint">{state}</span>
              )}
            </a>
          ))}
        </div>
      ))}
      {agents.items.length === 0 && <p class="inside second">Nobody holds a lease.</p>}
    </Card>
  );
}

function Changes({ overview: { changes, verdicts, revision } }: { overview: Overview }) {
  if (!changes) return null;
  const { from, baseline, added, removed, moved, changed } = changes;
  const judged = verdicts.total - verdicts.missing;
  const query = { from: baseline ?? from, to: revision.number };
  return (
    <Card
      title={`Since ${baseline ?? `revision ${from}`}`}
      aside={<a href={href('sources', 'changes', query)}>Changes</a>}
    >
      <div class="inside">
        <dl class="figures">
          {Object.entries({ changed, added, removed, moved }).map(([name, count]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="number strong">{count}</dd>
            </div>
          ))}
        </dl>
        <p class="second small">
          <a class="link" href={href('transfer')}>
            {verdicts.transferable + verdicts.restored} of {counted(judged, 'verdict')}
          </a>{' '}
          still hold.
        </p>
      </div>
    </Card>
  );
}

function Findings({ findings }: Pick<Overview, 'findings'>) {
  const kinds = [
    ['error', findings.errors],
    ['warning', findings.warnings],
    ['info', findings.infos],
  ] as const;
  return (
    <Card title="Source audit" aside={<a href={href('sources')}>Findings</a>}>
      <p class="inside line">
        {kinds.map(([severity, count]) => (
          <a key={severity} class="line figure" href={href('sources', [], { severity })}>
            <SeverityIcon severity={severity} />
            <span>
              <b class="strong">{count}</b> {count === 1 ? severity : `${severity}s`}
            </span>
          </a>
        ))}
      </p>
    </Card>
  );
}

function Unstable({ unstable }: Pick<Overview, 'unstable'>) {
  const { items, total, groups, groupedTests } = unstable;
  return (
    <Card title="Unstable tests" aside={total > 0 && <a href={href('tests')}>All {total}</a>}>
      {items.map(({ testKey, name, runs, failed }) => (
        <a key={testKey} class="row" href={href('tests', testKey)}>
          <StatusIcon status="suspect" />
          <span class="grow cut mono">{testName(name)}</span>
          <span class="faint small">
            {failed} of {runs} failed
          </span>
        </a>
      ))}
      {groups > 0 && (
        <a class="row" href={href('tests')}>
          <StatusIcon status="failing" />
          <span class="grow">{counted(groups, 'group fails', 'groups fail')} together</span>
          <span class="faint small">{counted(groupedTests, 'test')}</span>
        </a>
      )}
      {total === 0 && <p class="inside second">None in the newest runs.</p>}
    </Card>
  );
}
