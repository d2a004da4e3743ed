// Charts as a few lines of SVG, each with its figures as a text or a table for those who see none.
import { commitName, day } from '../core/format.ts';
import { href } from '../core/route.ts';

export interface Outcome {
  status: string;
  runId?: string | null;
  at?: string | null;
  commit?: string | null;
  flaky?: boolean;
}

/** The last outcomes of a test, the newest on the right: they differ in height as in colour. */
export function Strip({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <span class="strip">
      {outcomes.map(({ status, runId, at, commit, flaky }, index) => {
        const name = flaky ? 'flaky' : status;
        const title = [name, at && day(at), commitName(commit)].filter(Boolean).join(', ');
        return runId ? (
          <a key={index} class={name} href={href('runs', runId)} title={title} tabIndex={-1}>
            {title}
          </a>
        ) : (
          <i key={index} class={name} title={title}>
            {title}
          </i>
        );
      })}
    </span>
  );
}

export interface Series {
  name: string;
  /** A colour of the style sheet's tokens, such as `accent`. */
  colour: string;
  points: readonly { x: number; y: number }[];
  dashed?: boolean;
}

interface LineChartProps {
  title: string;
  series: readonly Series[];
  /** The labels of the axes; both go from 0 to the largest value, or to 1. */
  xLabel?: string;
  formatX(x: number): string;
  formatY(y: number): string;
  yMax?: number;
}

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 44;
const RIGHT = 20;
const TOP = 10;
const BOTTOM = 30;
const MAX_STEP = 48;

export function LineChart({ title, series, xLabel, formatX, formatY, yMax }: LineChartProps) {
  const points = series.flatMap((one) => one.points);
  const maxX = Math.max(...points.map(({ x }) => x), 1e-9);
  const maxY = yMax ?? Math.max(...points.map(({ y }) => y), 1e-9);
  const xOf = (x: number) => LEFT + (x / maxX) * (WIDTH - LEFT - RIGHT);
  const yOf = (y: number) => TOP + (1 - y / maxY) * (HEIGHT - TOP - BOTTOM);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line
              class="axis"
              x1={LEFT}
              x2={WIDTH - RIGHT}
              y1={yOf(tick * maxY)}
              y2={yOf(tick * maxY)}
            />
            <text x={LEFT - 6} y={yOf(tick * maxY) + 4} text-anchor="end">
              {formatY(tick * maxY)}
            </text>
            <text x={xOf(tick * maxX)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
              {formatX(tick * maxX)}
            </text>
          </g>
        ))}
        {xLabel && (
          <text x={(WIDTH + LEFT) / 2} y={HEIGHT - 2} text-anchor="middle">
            {xLabel}
          </text>
        )}
        {series.map(({ name, colour, points: own, dashed }) => (
          <polyline
            key={name}
            points={own.map(({ x, y }) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`).join(' ')}
            fill="none"
            style={{ stroke: `var(--${colour})` }}
            stroke-width="2"
            stroke-dasharray={dashed ? '5 4' : undefined}
            stroke-linejoin="round"
          />
        ))}
      </svg>
      <figcaption>
        {series.map(({ name, colour, dashed }) => (
          <span key={name} class="key">
            <i class={dashed ? 'dashed' : ''} style={{ borderColor: `var(--${colour})` }} />
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

export interface Bar {
  name: string;
  /** What is drawn upwards, in order; the shares of one bar. */
  parts: readonly { colour: string; value: number; name: string }[];
}

/** Bars with parts on top of each other, such as the statuses of each day, and the table of them. */
export function StackedBars({ title, bars }: { title: string; bars: readonly Bar[] }) {
  const total = (bar: Bar) => bar.parts.reduce((sum, { value }) => sum + value, 0);
  const max = Math.max(...bars.map(total), 1);
  const step = Math.min(MAX_STEP, (WIDTH - LEFT - RIGHT) / Math.max(bars.length, 1));
  const scale = (HEIGHT - TOP - BOTTOM) / max;
  const every = Math.ceil(bars.length / 8);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        <text x={LEFT - 6} y={TOP + 4} text-anchor="end">
          {max}
        </text>
        <line class="axis" x1={LEFT} x2={WIDTH - RIGHT} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {bars.map((bar, index) => {
          let y = HEIGHT - BOTTOM;
          const x = LEFT + index * step;
          return (
            <g key={bar.name}>
              <title>
                {`${bar.name}: ${bar.parts.map(({ name, value }) => `${value} ${name}`).join(', ')}`}
              </title>
              {bar.parts.map(({ name, colour, value }) => {
                y -= value * scale;
                return (
                  <rect
                    key={name}
                    x={x + step * 0.15}
                    y={y}
                    width={Math.max(1, step * 0.7)}
                    height={value * scale}
                    style={{ fill: `var(--${colour})` }}
                  />
                );
              })}
              {index % every === 0 && (
                <text x={x + step / 2} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
                  {bar.name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <table class="hidden">
        <caption>{title}</caption>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.name}>
              <th scope="row">{bar.name}</th>
              {bar.parts.map(({ name, value }) => (
                <td key={name}>
                  {value} {name}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
