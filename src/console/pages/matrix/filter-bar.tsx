// The answer in words and the filters: statuses with their counts, the document, what else the address has.
import type { Static } from '@sinclair/typebox';
import type { Summary as SummarySchema } from '../../../assurance/coverage/model.ts';
import { api, type Having, useAnswer } from '../../core/api.ts';
import { grouped, percent } from '../../core/format.ts';
import { go, type Route, withQuery } from '../../core/route.ts';
import { Chip } from '../../parts/layout.tsx';
import { STATUSES, type Status } from '../../parts/status.tsx';
import { statusesOf } from './filters.ts';

export type Summary = Static<typeof SummarySchema>;

/** Filters of other pages' links, shown to be taken away. */
const OTHERS = ['kind', 'tag', 'storyId', 'baseline'] as const;

interface FilterBarProps {
  route: Route;
  summary: Summary | undefined;
}

export function FilterBar({ route, summary }: FilterBarProps) {
  const { query } = route;
  const chosen = statusesOf(query);
  const own = query.get('inherited') === 'false';
  const countOf = (status: Status) => {
    if (!summary) return undefined;
    const all = summary.statuses[status].count;
    return own ? all - summary.inherited[status].count : all;
  };
  const toggled = (status: Status) => {
    const others = chosen.filter((one) => one !== status);
    const next = others.length < chosen.length ? others : [...chosen, status];
    return withQuery(route, { status: next.join(',') });
  };
  return (
    <>
      <div class="lead line">
        {summary && summary.stories.total > 0 && (
          <p class="second grow">
            <b>
              {grouped(summary.covered.count)} of {grouped(summary.covered.total)}
            </b>{' '}
            requirements are covered ({percent(summary.covered.share)}),{' '}
            <a class="link" href={withQuery(route, { status: 'validated' })}>
              {grouped(summary.statuses.validated.count)}
            </a>{' '}
            of them validated.{' '}
            <a class="link no-print" href={withQuery(route, { view: 'gaps', status: null })}>
              What is missing
            </a>
          </p>
        )}
        <DocumentChoice route={route} />
      </div>
      <div class="filters">
        {STATUSES.map((status) => (
          <Chip
            key={status}
            address={toggled(status)}
            pressed={chosen.includes(status)}
            status={status}
            count={countOf(status)}
          >
            {status}
          </Chip>
        ))}
        <Chip address={withQuery(route, { inherited: own ? null : 'false' })} pressed={own}>
          without inherited
        </Chip>
        {query.get('inherited') === 'true' && (
          <Chip address={withQuery(route, { inherited: null })} pressed>
            inherited alone
          </Chip>
        )}
        {OTHERS.filter((name) => query.has(name)).map((name) => (
          <Chip key={name} address={withQuery(route, { [name]: null })} pressed>
            {name}: {query.getAll(name).join(', ')}
          </Chip>
        ))}
      </div>
    </>
  );
}

function DocumentChoice({ route }: { route: Route }) {
  const { data } = useAnswer(() => api()['srs-graph'].get({ query: { view: 'document' } }), []);
  const root = route.query.get('root') ?? '';
  const documents = (data as Having<typeof data, 'documents'> | undefined)?.documents ?? [];
  const isListed = documents.some(({ id }) => id === root);
  return (
    <select
      class="input no-print"
      aria-label="Document"
      value={root}
      onChange={({ currentTarget }) => go(withQuery(route, { root: currentTarget.value }))}
    >
      <option value="">All documents</option>
      {documents.map(
        ({ id, title }) =>
          id && (
            <option key={id} value={id}>
              {title ?? id}
            </option>
          ),
      )}
      {root && !isListed && <option value={root}>{root}</option>}
    </select>
  );
}
