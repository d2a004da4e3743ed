// The neighbourhood as boxes in layers, what others rest on to the left, with the links as lines.
import { Graph, layout } from '@dagrejs/dagre';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  OutcomeIcon,
  SeverityIcon,
  STATUSES,
  type Status,
  StatusIcon,
} from '../../parts/status.tsx';
import type { Box, Line, Picture } from './boxes.ts';

const WIDTH = 224;
const HEIGHT = 50;
const MARGIN = 24;

interface Point {
  x: number;
  y: number;
}

interface Placed {
  width: number;
  height: number;
  boxes: (Box & Point)[];
  lines: (Line & { path: string })[];
}

export function Drawing({ picture }: { picture: Picture }) {
  const { width, height, boxes, lines } = useMemo(() => place(picture), [picture]);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const [view, root] = [frame.current, boxes.find(({ isRoot }) => isRoot)];
    if (view && root)
      view.scrollTo(
        root.x - (view.clientWidth - WIDTH) / 2,
        root.y - (view.clientHeight - HEIGHT) / 2,
      );
  }, [boxes]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls both ways
    <section class="drawing" aria-label="Drawing" tabIndex={0} ref={frame}>
      <div class="sheet" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {lines.map(({ from, to, type, path, isSuspect }) => (
            <path key={`${from} ${type} ${to}`} class={isSuspect ? 'suspect' : ''} d={path} />
          ))}
        </svg>
        {boxes.map((box) => (
          <a
            key={box.key}
            class={`box of-${box.kind} ${box.status ?? ''}`}
            href={box.address}
            data-row
            aria-current={box.isRoot ? 'true' : undefined}
            style={{ left: `${box.x}px`, top: `${box.y}px` }}
          >
            <b class="cut" title={box.title}>
              <Shape box={box} /> {box.title}
            </b>
            <small class={`cut ${box.kind === 'node' ? 'mono' : ''}`}>{box.detail}</small>
          </a>
        ))}
      </div>
    </section>
  );
}

export function Shape({ box: { kind, shape } }: { box: Pick<Box, 'kind' | 'shape'> }) {
  if (shape === null) return null;
  if (kind === 'issue') return <SeverityIcon severity={shape} size="small" />;
  return isStatus(shape) ? (
    <StatusIcon status={shape} size="small" />
  ) : (
    <OutcomeIcon outcome={shape} size="small" />
  );
}

function isStatus(shape: string): shape is Status {
  return (STATUSES as readonly string[]).includes(shape);
}

type LaidOut = Graph<
  { rankdir: string; nodesep: number; ranksep: number; width?: number; height?: number },
  { width: number; height: number } & Point,
  { points: Point[] }
>;

function place({ boxes, lines }: Picture): Placed {
  const graph: LaidOut = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 64 });
  for (const { key } of boxes) graph.setNode(key, { width: WIDTH, height: HEIGHT, x: 0, y: 0 });
  // A document's lines to all that it contains would cross every layer, and take most of the time.
  const links = lines.filter(({ type }) => type !== 'contains');
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const alone = lines.filter(({ type, to }) => type === 'contains' && !linked.has(to));
  for (const { from, to } of [...links, ...alone]) graph.setEdge(from, to, { points: [] });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    boxes: boxes.map((box) => {
      const { x, y } = graph.node(box.key);
      return { ...box, x: x - WIDTH / 2 + MARGIN, y: y - HEIGHT / 2 + MARGIN };
    }),
    lines: lines.map((line) => ({ ...line, path: pathOf(graph, line) })),
  };
}

/** From the side of one box to that of another, in curves that leave and reach each layer level. */
function pathOf(graph: LaidOut, { from, to }: Line): string {
  const [start, end] = [graph.node(from), graph.node(to)];
  const side = start.x <= end.x ? WIDTH / 2 : -WIDTH / 2;
  // Between two layers there is a point too, which only bends the line.
  const { points: placed } = graph.edge(from, to) ?? { points: [] };
  const through = placed.slice(1, -1).filter((_, at) => at % 2 === 1);
  const points = [{ x: start.x + side, y: start.y }, ...through, { x: end.x - side, y: end.y }].map(
    ({ x, y }) => ({ x: x + MARGIN, y: y + MARGIN }),
  );
  return points
    .map(({ x, y }, at) => {
      const before = points[at - 1];
      if (!before) return `M${x},${y}`;
      const middle = (before.x + x) / 2;
      return `C${middle},${before.y} ${middle},${y} ${x},${y}`;
    })
    .join('');
}
