// The issues that an address asks for, the newest first; without a status those that are not resolved.
import type { IssueCounts } from '../../../evidence/issues/counts.ts';
import { api, useAnswer, useList } from '../../core/api.ts';
import { counted, words } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { useMay } from '../../frame/caller.ts';
import { Chip, PageHead } from '../../parts/layout.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Empty, Load, More } from '../../parts/states.tsx';
import { SEVERITIES, SeverityIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import {
  listed,
  type Severity,
  STATUSES,
  type Status,
  type Summary,
  sumOf,
  UNRESOLVED,
} from './answers.ts';

/** Filters that other pages link with; each is shown as a chip that takes it away. */
const OTHERS = ['assignee', 'labels', 'storyIds', 'runId', 'build', 'route'] as const;

export function IssueList({ route }: { route: Route }) {
  useRowKeys();
  const { query } = route;
  const asked = query.get('status');
  const statuses = asked === 'all' ? STATUSES : listed(asked, STATUSES);
  const chosen: readonly Status[] = statuses.length > 0 ? statuses : UNRESOLVED;
  const severities = listed(query.get('severity'), SEVERITIES);
  const q = query.get('q') ?? undefined;
  const others = OTHERS.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  const filters = {
    ...(chosen.length < STATUSES.length && { status: [...chosen] }),
    ...(severities.length > 0 && { severity: severities }),
    ...(q && { q }),
    ...Object.fromEntries(others.map(([name, value]) => [name, [value]])),
  };
  const list = useList(
    (cursor) => api().issues.get({ query: { ...filters, ...(cursor && { cursor }) } }),
    [query.toString()],
  );
  const answer = useAnswer(() => api().issues.get({ query: { view: 'counts' } }), []);
  const counts = answer.data as IssueCounts | undefined;
  // Counted without any other filter.
  const countable = q || others.length > 0 ? undefined : counts;
  return (
    <>
      <PageHead title="Issues" sub={counts && headline(counts)}>
        {useMay('POST /issues') && (
          <a class="button primary" href={href('issues', 'new')}>
            File an issue
          </a>
        )}
      </PageHead>
      <div class="filters">
        <StatusChips route={route} chosen={chosen} counts={countable} severities={severities} />
      </div>
      <div class="filters">
        {SEVERITIES.map((severity) => {
          const on = severities.includes(severity);
          const after = on
            ? severities.filter((one) => one !== severity)
            : [...severities, severity];
          return (
            <Chip
              key={severity}
              address={withQuery(route, { severity: after.join(',') })}
              pressed={on}
              count={countable && sumOf(countable, chosen, [severity])}
            >
              <SeverityIcon severity={severity} size="small" />
              {severity}
            </Chip>
          );
        })}
        {others
          .filter(([name]) => name !== 'assignee')
          .map(([name, value]) => (
            <Chip key={name} address={withQuery(route, { [name]: null })} pressed>
              {words(name.replace(/I?d?s?$/, ''))} <span class="mono cut">{value}</span> ×
              <span class="hidden">: show all</span>
            </Chip>
          ))}
        <AssigneeField
          route={route}
          known={list.items.flatMap((one) => ('assignee' in one && one.assignee) || [])}
        />
        <SearchField
          route={route}
          name="q"
          label="Words of title and description"
          placeholder={'Words, "a phrase", a beginning*'}
        />
      </div>
      <Load answer={list}>
        {() => (
          <section class="card" aria-label="Issues">
            {list.items.map((issue) => 'number' in issue && <Row key={issue.id} issue={issue} />)}
            {list.items.length === 0 && <None route={route} isNarrowed={query.size > 0} />}
            <More more={list.more} problem={list.moreProblem} />
          </section>
        )}
      </Load>
    </>
  );
}

function headline({ open, all }: IssueCounts): string {
  const urgent = open.blocker + open.critical;
  return `${open.total} of ${counted(all.total, 'issue')} not resolved${urgent > 0 ? `, ${urgent} of them urgent` : ''}`;
}

function AssigneeField({ route, known }: { route: Route; known: string[] }) {
  const value = route.query.get('assignee') ?? '';
  return (
    <select
      class="input"
      aria-label="Assignee"
      value={value}
      onChange={({ currentTarget }) => go(withQuery(route, { assignee: currentTarget.value }))}
    >
      <option value="">Anybody's</option>
      {[...new Set([value, ...known])]
        .filter(Boolean)
        .sort()
        .map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
    </select>
  );
}

interface StatusChipsProps {
  route: Route;
  chosen: readonly Status[];
  counts: IssueCounts | undefined;
  severities: readonly Severity[];
}

function StatusChips({ route, chosen, counts, severities }: StatusChipsProps) {
  const chip = (name: string, status: string | null, of: readonly Status[]) => (
    <Chip
      key={name}
      address={withQuery(route, { status })}
      pressed={of.length === chosen.length && of.every((one) => chosen.includes(one))}
      count={counts && sumOf(counts, of, severities)}
    >
      {name}
    </Chip>
  );
  return (
    <>
      {chip('Not resolved', null, UNRESOLVED)}
      {STATUSES.map((status) => chip(words(status), status, [status]))}
      {chip('All', 'all', STATUSES)}
    </>
  );
}

function Row({ issue }: { issue: Summary }) {
  const { id, number, title, status, severity, assignee, build, occurrences, occurredAt } = issue;
  const facts = [words(status), assignee, build].filter(Boolean);
  return (
    <a class="row issue" href={href('issues', id)} data-row>
      <span class="faint small number">#{number}</span>
      <span class="grow">
        <b class="strong cut">{title}</b>
        <span class="small faint cut">
          {facts.join(', ')}
          {issue.possibleRegression && ', perhaps a regression'}
        </span>
      </span>
      {occurrences > 1 && (
        <span class="tag plain" title={`Reported ${occurrences} times`}>
          ×{occurrences}
        </span>
      )}
      <span class="line severity">
        <SeverityIcon severity={severity} size="small" /> {severity}
      </span>
      <span class="small faint when">
        <Time at={occurredAt} />
      </span>
    </a>
  );
}

function None({ route, isNarrowed }: { route: Route; isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No issue is like that">
        <a class="button" href={href(route.page)}>
          Show those not resolved
        </a>
      </Empty>
    );
  return (
    <Empty title="No issue waits">
      <p>Testers file them by the widget, agents and people by the API:</p>
      <pre class="code">{`<script src="${location.origin}/widget.js" data-token="…"></script>`}</pre>
    </Empty>
  );
}
