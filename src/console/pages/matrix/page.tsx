// What shows that each requirement holds: a grid by suite, test or document, the statuses by document,
// or what is missing.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useAction, useAnswer } from '../../core/api.ts';
import { download } from '../../core/download.ts';
import { counted, grouped } from '../../core/format.ts';
import { useRowKeys } from '../../core/keys.ts';
import { href, type PageProps, type Route, withQuery } from '../../core/route.ts';
import { useMe } from '../../frame/caller.ts';
import { Icon } from '../../parts/icons.tsx';
import { PageHead, Segments } from '../../parts/layout.tsx';
import { Empty, Load, Refusal } from '../../parts/states.tsx';
import { FilterBar, type Summary } from './filter-bar.tsx';
import { askMatrix, filtersOf, type Matrix, VIEWS, type View, viewOf } from './filters.ts';
import { Gaps, useGaps } from './gaps.tsx';
import { Grid } from './grid.tsx';
import { Heat } from './heat.tsx';
import { Lines } from './lines.ts';
import { LEGEND, Mark, outcomeName } from './outcomes.tsx';
import { loadForPrint, usePrint } from './print.tsx';
import { Tiles } from './tiles.ts';

export function Page({ route }: PageProps) {
  return viewOf(route) === 'gaps' ? <GapsPage route={route} /> : <MatrixPage route={route} />;
}

function MatrixPage({ route }: PageProps) {
  const view = viewOf(route);
  const filters = filtersOf(route);
  const columns = view === 'heat' ? 'document' : (view as Exclude<View, 'gaps' | 'heat'>);
  const query = { ...filters, columns, ...(view === 'heat' && { columnLimit: 1 }) };
  const name = JSON.stringify(query);
  const answer = useAnswer((signal) => askMatrix({ ...query, summary: true }, signal), [name]);
  const { data } = answer;
  const tiles = useMemo(() => data && new Tiles(query, data), [data]);
  usePrint(tiles);
  const print = useAction(async () => {
    if (tiles) await loadForPrint(tiles);
    window.print();
  });
  return (
    <>
      <Head route={route} total={data?.summary?.stories.total} shown={data?.totals.rows}>
        <button type="button" class="button" disabled={print.busy} onClick={() => print.run()}>
          <Icon name="print" /> Print
        </button>
      </Head>
      <FilterBar route={route} summary={data?.summary} />
      <Load answer={answer}>
        {(matrix) =>
          tiles && (
            <Shown key={name} name={name} view={view} tiles={tiles} matrix={matrix} route={route} />
          )
        }
      </Load>
    </>
  );
}

interface ShownProps {
  name: string;
  view: View;
  tiles: Tiles;
  matrix: Matrix;
  route: Route;
}

function Shown({ name, view, tiles, matrix, route }: ShownProps) {
  const { documents = [], totals, summary } = matrix;
  const lines = useMemo(() => new Lines(documents, totals.rows), [matrix]);
  if (totals.rows === 0) return <Nothing route={route} summary={summary} />;
  if (view === 'heat') return <Heat tiles={tiles} documents={documents} />;
  return (
    <>
      <Grid view={view} tiles={tiles} lines={lines} name={name} />
      <p class="legend-line small second no-print">
        {LEGEND[view === 'document' ? 'documents' : 'tests'].map((outcome) => (
          <span key={outcome}>
            <Mark outcome={outcome} /> {outcomeName(outcome)}
          </span>
        ))}
      </p>
    </>
  );
}

function Nothing({ route, summary }: { route: Route; summary: Summary | undefined }) {
  if (summary?.stories.total)
    return (
      <Empty title="No requirement is so">
        <a class="button" href={href('matrix', [], { view: route.query.get('view') })}>
          Show all
        </a>
      </Empty>
    );
  return (
    <Empty title="There is no requirement yet">
      <p>
        <a class="link" href={href('sources')}>
          Import a folder
        </a>{' '}
        of Markdown, ReqIF, StrictDoc or another format, or type <code>pqrs import docs</code>.
      </p>
    </Empty>
  );
}

function GapsPage({ route }: PageProps) {
  useRowKeys();
  const gaps = useGaps(route);
  const { data } = gaps;
  return (
    <>
      <Head route={route} total={data?.summary.stories.total} shown={undefined} />
      <FilterBar route={route} summary={data?.summary} />
      <Load answer={gaps}>{() => <Gaps gaps={gaps} />}</Load>
    </>
  );
}

interface HeadProps {
  route: Route;
  total: number | undefined;
  shown: number | undefined;
  children?: ComponentChildren;
}

function Head({ route, total, shown, children }: HeadProps) {
  const { project } = useMe();
  const view = viewOf(route);
  const csv = useAction(() => {
    const { query } = route;
    const filters = new URLSearchParams([...query].filter(([name]) => name !== 'view'));
    return download(`/project-traceability?format=csv&${filters}`, `${project.slug}-matrix.csv`);
  });
  return (
    <>
      <PageHead
        title="Matrix"
        sub={
          total !== undefined &&
          shown !== undefined &&
          `${grouped(shown)} of ${counted(total, 'requirement')}`
        }
      >
        <Segments
          label="View"
          choices={Object.entries(VIEWS).map(([id, name]) => ({
            name,
            address: withQuery(route, { view: id === 'suite' ? null : id }),
            current: id === view,
          }))}
        />
        <button type="button" class="button" disabled={csv.busy} onClick={() => csv.run()}>
          <Icon name="download" /> CSV
        </button>
        {children}
      </PageHead>
      <Refusal problem={csv.problem} />
      <p class="print-only">
        {project.name}, revision {project.revision}
      </p>
    </>
  );
}
