// The neighbourhood of one node: what it rests on, what rests on it, and what hangs on it.
import { useMemo } from 'preact/hooks';
import type { Neighbourhood } from '../../../assurance/graph/model.ts';
import { type Answer, api, useAnswer } from '../../core/api.ts';
import { counted } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { href, type PageProps, type Route, withQuery } from '../../core/route.ts';
import { PageHead, Segments } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { StatusTag } from '../../parts/status.tsx';
import { hangingText, pictureOf } from './boxes.ts';
import { Drawing } from './drawing.tsx';
import { Start } from './start.tsx';
import { NeighbourTable } from './table.tsx';

export function Page({ route }: PageProps) {
  const [id] = route.rest;
  useRowKeys();
  return id === undefined ? <Start /> : <Near id={id} route={route} />;
}

const DEPTHS = [1, 2, 3];
/** So many boxes are laid out within a frame or two; the table has room for more. */
const DRAWN = 40;
const LISTED = 100;

function Near({ id, route }: { id: string; route: Route }) {
  const asked = Number(route.query.get('depth'));
  const depth = DEPTHS.includes(asked) ? asked : 2;
  const isTable = route.query.get('view') === 'table';
  const limit = isTable ? LISTED : DRAWN;
  const near = useAnswer(
    (signal) => {
      const query = { root: id, depth, limit, with: [...WITH] };
      return api()['srs-graph'].get({ query, fetch: { signal } });
    },
    [id, depth, limit],
  ) as Answer<Neighbourhood>;
  const title = near.data?.nodes.find((node) => node.id === near.data?.root)?.title;
  const addressOf = (other: string) =>
    href('graph', other, Object.fromEntries(route.query) as Record<string, string>);
  const views = [
    { name: 'Drawing', address: withQuery(route, { view: null }), current: !isTable },
    { name: 'Table', address: withQuery(route, { view: 'table' }), current: isTable },
  ];
  const depths = DEPTHS.map((steps) => ({
    name: counted(steps, 'step'),
    address: withQuery(route, { depth: steps }),
    current: steps === depth,
  }));
  return (
    <>
      <PageHead
        title={title || id}
        parent={{ title: 'Graph', address: href('graph') }}
        sub={title ? <span class="mono">{id}</span> : undefined}
      >
        <Segments label="Depth" choices={depths} />
        <Segments label="View" choices={views} />
        <a class="button" href={href('requirements', id)}>
          Read
        </a>
      </PageHead>
      <Load answer={near}>
        {(found) => (
          <>
            <Said found={found} deeper={depths.find(({ current }) => current)?.name} />
            {isTable ? (
              <NeighbourTable found={found} addressOf={addressOf} />
            ) : (
              <Drawn found={found} addressOf={addressOf} />
            )}
          </>
        )}
      </Load>
    </>
  );
}

const WITH = ['tests', 'issues', 'validations'] as const;

function Drawn({ found, addressOf }: { found: Neighbourhood; addressOf(id: string): string }) {
  const picture = useMemo(() => pictureOf(found, addressOf), [found]);
  return <Drawing picture={picture} />;
}

/** The root in words, and what of its neighbourhood is not shown. */
function Said({
  found: { root, nodes, edges },
  deeper,
}: {
  found: Neighbourhood;
  deeper?: string;
}) {
  const center = nodes.find(({ id }) => id === root);
  if (!center) return null;
  const { status, leftOut, validation } = center;
  const links = edges.filter(({ type }) => type !== 'contains');
  const up = links.filter(({ from }) => from === root).length + leftOut.up;
  const down = links.filter(({ to }) => to === root).length + leftOut.down;
  const away = nodes.reduce((sum, node) => sum + node.leftOut.up + node.leftOut.down, 0);
  return (
    <p class="graph-said">
      {status && <StatusTag status={status} />} It rests on {up}, and {down} rest on it;{' '}
      {hangingText(center) || 'no test, no issue'},{' '}
      {validation ? `judged ${validation.verdict}` : 'not judged'}. Within {deeper}:{' '}
      {counted(nodes.length, 'node')}
      {away > 0
        ? `; ${counted(away, 'further link leads', 'further links lead')} out of view.`
        : ', all there are.'}
    </p>
  );
}
