// What changed from one revision or baseline to another.
import { useState } from 'preact/hooks';
import { api, useAnswer } from '../../core/api.ts';
import { go, href, type Route, withQuery } from '../../core/route.ts';
import { useMe } from '../../frame/caller.ts';
import { Icon } from '../../parts/icons.tsx';
import { PageHead } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { type GraphDiff, useRevisions } from './answers.ts';
import { Comparison } from './comparison.tsx';

export function Changes({ route }: { route: Route }) {
  const { project } = useMe();
  const [isWhole, setIsWhole] = useState(false);
  const to = route.query.get('to') ?? `${project.revision}`;
  const from = route.query.get('from') ?? `${Math.max(project.revision - 1, 1)}`;
  const answer = useAnswer(
    () =>
      project.revision > 0
        ? api()['srs-graph'].get({ query: { view: 'diff', from, to } })
        : undefined,
    [from, to],
  );
  const print = () => {
    setIsWhole(true);
    // Behind the rows that were left out.
    setTimeout(() => window.print());
  };
  return (
    <>
      <PageHead
        title="Changes"
        parent={{ title: 'Sources', address: href('sources') }}
        sub={`of ${project.name}`}
      >
        <Ends route={route} from={from} to={to} revision={project.revision} />
        <button type="button" class="button" onClick={print}>
          <Icon name="print" /> Print
        </button>
      </PageHead>
      {project.revision === 0 && <Empty title="There is no revision yet" />}
      <Load answer={answer}>
        {(data) => <Comparison route={route} diff={data as GraphDiff} isWhole={isWhole} />}
      </Load>
    </>
  );
}

interface EndsProps {
  route: Route;
  from: string;
  to: string;
  revision: number;
}

function Ends({ route, from, to, revision }: EndsProps) {
  const { data } = useRevisions(revision);
  const names = [
    ...(data?.baselines.map(({ name }) => name) ?? []),
    ...(data?.revisions.map((one) => `${one.revision}`) ?? []),
  ];
  const field = (label: string, name: 'from' | 'to', value: string) => (
    <label class="line small second">
      {label}
      <select
        class="input"
        value={value}
        onChange={({ currentTarget }) => go(withQuery(route, { [name]: currentTarget.value }))}
      >
        {[...new Set([value, ...names])].map((one) => (
          <option key={one} value={one}>
            {/^\d+$/.test(one) ? `revision ${one}` : one}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      {field('From', 'from', from)}
      {field('to', 'to', to)}
    </>
  );
}
