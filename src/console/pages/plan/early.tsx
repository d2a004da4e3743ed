// Would this order have found the failures of the past early? Its curve beside the best and a random one.
import { LineChart } from '../../parts/charts.tsx';
import { Card } from '../../parts/layout.tsx';
import type { Draft } from './ask.ts';

type Curve = NonNullable<Draft['curve']>;
type Points = Curve['planned'];

export function Early({ draft: { curve, evaluation } }: { draft: Draft }) {
  return (
    <Card title="Would it find failures early?">
      <div class="inside stack early">
        {curve ? <CurveChart curve={curve} /> : <p class="second">{NO_CYCLE}</p>}
        {evaluation && evaluation.raw.cycles > 0 && <Figures evaluation={evaluation} />}
      </div>
    </Card>
  );
}

const NO_CYCLE = 'The past cannot say yet: in no cycle have some runs failed and some passed.';

function CurveChart({ curve: { planned, optimal } }: { curve: Curve }) {
  const costMs = planned.at(-1)?.costMs ?? 0;
  const found = planned.at(-1)?.found ?? 0;
  const by = costMs > 0 ? 'time' : 'commands';
  const percentOf = (share: number) => `${Math.round(share * 100)} %`;
  const pointsOf = (points: Points) => stepsOf(points, found, costMs);
  return (
    <>
      <LineChart
        title={`Failures of the newest cycle found, by the share of the ${by} spent`}
        xLabel={`of the ${by} spent`}
        yMax={1}
        formatX={percentOf}
        formatY={percentOf}
        series={[
          { name: 'best possible', colour: 'text-3', points: pointsOf(optimal), dashed: true },
          {
            name: 'random',
            colour: 'line-2',
            points: [
              { x: 0, y: 0 },
              { x: 1, y: 1 },
            ],
            dashed: true,
          },
          { name: 'this order', colour: 'accent', points: pointsOf(planned) },
        ]}
      />
      <p class="small second">
        Of the newest cycle: {found} of {planned.length} failed.
      </p>
    </>
  );
}

/** A step where a failure is found; by places where nothing is known of costs. */
function stepsOf(points: Points, found: number, costMs: number): { x: number; y: number }[] {
  const steps = [{ x: 0, y: 0 }];
  for (const [at, point] of points.entries()) {
    const last = steps.at(-1)?.y ?? 0;
    const y = point.found / found;
    if (y === last && at < points.length - 1) continue;
    const x = costMs > 0 ? point.costMs / costMs : (at + 1) / points.length;
    steps.push({ x, y: last }, { x, y });
  }
  return steps;
}

function Figures({
  evaluation: { raw, withoutFlaky },
}: {
  evaluation: NonNullable<Draft['evaluation']>;
}) {
  const rows = [
    ['By place (APFD)', raw.apfd],
    ['By time (APFDc)', raw.apfdc],
    ['By time, without flaky', withoutFlaky.apfdc],
  ] as const;
  const shown = (value: number | null) => value?.toFixed(2) ?? 'n/a';
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Over {raw.cycles} past cycles</th>
          <th scope="col" class="number">
            This order
          </th>
          <th scope="col" class="number">
            Random
          </th>
          <th scope="col" class="number">
            Best
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, { planned, random, optimal }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number strong">{shown(planned)}</td>
            <td class="number second">{shown(random)}</td>
            <td class="number second">{shown(optimal)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
