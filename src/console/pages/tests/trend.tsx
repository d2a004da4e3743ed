// How many tests passed, and how many failed, by day or by commit.
import { useAnswer } from '../../core/api.ts';
import { commitName, day, grouped, percent } from '../../core/format.ts';
import { href, type Route, withQuery } from '../../core/route.ts';
import { Card, Segments } from '../../parts/layout.tsx';
import { Empty, Load } from '../../parts/states.tsx';
import { askRuns, filtersOf, RUN_FILTERS, type Trend } from '../runs/ask.ts';

const POINTS = 30;

export function TrendCard({ route }: { route: Route }) {
  const by = route.query.get('by') === 'commit' ? 'commit' : 'day';
  const filters = filtersOf(route.query, RUN_FILTERS);
  const answer = useAnswer(
    (signal) => askRuns<Trend>({ ...filters, view: 'trend', by, limit: POINTS }, signal),
    [JSON.stringify(filters), by],
  );
  const choice = (name: 'day' | 'commit') => ({
    name: `By ${name}`,
    address: withQuery(route, { by: name === 'day' ? null : name }),
    current: name === by,
  });
  return (
    <Card
      title="Passed and failed"
      aside={<Segments label="Points" choices={[choice('day'), choice('commit')]} />}
    >
      <Load answer={answer}>
        {({ items }) =>
          items.length > 0 ? (
            <div class="inside">
              <TrendChart points={items.toReversed().map(pointOf)} />
            </div>
          ) : (
            <Empty title="No run is like that" />
          )
        }
      </Load>
    </Card>
  );
}

interface Point {
  name: string;
  share: number | null;
  failed: number;
  tests: number;
  address: string;
}

function pointOf({ day: date, commit, from, passed, totals }: Trend['items'][number]): Point {
  const next = date && new Date(Date.parse(date) + 86_400_000).toISOString();
  return {
    name: date ? day(date) : commitName(commit) || day(from),
    share: passed.share,
    failed: totals.failed + totals.broken,
    tests: totals.tests,
    address: date
      ? href('runs', [], { since: `${date}T00:00:00.000Z`, until: next })
      : href('runs', [], { commit }),
  };
}

const WIDTH = 420;
const HEIGHT = 190;
const LEFT = 42;
const RIGHT = 22;
const LINE_TOP = 12;
const LINE_HEIGHT = 86;
const BARS_TOP = 112;
const BARS_HEIGHT = 54;

/** A line of the share that passed, from the tenth below the lowest, over bars of what failed. */
function TrendChart({ points }: { points: readonly Point[] }) {
  const shares = points.flatMap(({ share }) => share ?? []);
  const floor = Math.max(0, Math.floor(Math.min(...shares, 0.9) * 10) / 10);
  const most = Math.max(...points.map(({ failed }) => failed), 1);
  const step = (WIDTH - LEFT - RIGHT) / points.length;
  const xOf = (index: number) => LEFT + (index + 0.5) * step;
  const yOf = (share: number) => LINE_TOP + (1 - (share - floor) / (1 - floor)) * LINE_HEIGHT;
  const every = Math.ceil(points.length / 5);
  const line = points.flatMap(({ share }, index) =>
    share === null ? [] : `${xOf(index).toFixed(1)},${yOf(share).toFixed(1)}`,
  );
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {[1, (1 + floor) / 2, floor].map((share) => (
          <g key={share}>
            <line class="axis" x1={LEFT} x2={WIDTH - RIGHT} y1={yOf(share)} y2={yOf(share)} />
            <text x={LEFT - 6} y={yOf(share) + 4} text-anchor="end">
              {Math.round(share * 100)} %
            </text>
          </g>
        ))}
        <text x={LEFT - 6} y={BARS_TOP + 8} text-anchor="end">
          {grouped(most)}
        </text>
        {points.map(({ name, share, failed, tests, address }, index) => {
          const height = failed === 0 ? 0 : Math.max(3, (failed / most) * BARS_HEIGHT);
          return (
            <a key={address + index} href={address} tabindex={-1} class="point">
              <title>{`${name}: ${percent(share)} passed, ${failed} of ${tests} failed`}</title>
              <rect x={LEFT + index * step} y={0} width={step} height={HEIGHT - 20} class="area" />
              <rect
                x={LEFT + (index + 0.18) * step}
                y={BARS_TOP + BARS_HEIGHT - height}
                width={step * 0.64}
                height={height}
                rx="2"
                style={{ fill: 'var(--failing)' }}
              />
              {(points.length - 1 - index) % every === 0 && (
                <text x={xOf(index)} y={HEIGHT - 6} text-anchor="middle">
                  {name}
                </text>
              )}
            </a>
          );
        })}
        <polyline
          class="over"
          points={line.join(' ')}
          fill="none"
          style={{ stroke: 'var(--passing)' }}
          stroke-width="2"
          stroke-linejoin="round"
        />
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col" class="number">
                Passed
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col" class="number">
                Results
              </th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ name, share, failed, tests, address }, index) => (
              <tr key={address + index}>
                <th scope="row">
                  <a class="link" href={address}>
                    {name}
                  </a>
                </th>
                <td class="number">{percent(share)}</td>
                <td class="number">{grouped(failed)}</td>
                <td class="number">{grouped(tests)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
