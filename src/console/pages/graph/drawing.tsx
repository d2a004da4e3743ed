// The neighbourhood as boxes in layers, what others rest on to the left, with the links as lines.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  OutcomeIcon,
  SeverityIcon,
  STATUSES,
  type Status,
  StatusIcon,
} from '../../parts/status.tsx';
import type { Box, Line, Picture } from './boxes.ts';
import { type Point, placeInLayers } from './layers.ts';

const WIDTH = 224;
const HEIGHT = 50;
const MARGIN = 24;
const SIZES = { width: WIDTH, height: HEIGHT, columnGap: 64, rowGap: 18 };

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

function place({ boxes, lines }: Picture): Placed {
  // A document's lines to all that it contains would stretch it over every layer.
  const links = lines.filter(({ type }) => type !== 'contains');
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const alone = lines.filter(({ type, to }) => type === 'contains' && !linked.has(to));
  const keys = boxes.map(({ key }) => key);
  const { places, width, height } = placeInLayers(keys, [...links, ...alone], SIZES);
  const cornerOf = (key: string) => {
    const { x, y } = places.get(key) ?? { x: 0, y: 0 };
    return { x: x + MARGIN, y: y + MARGIN };
  };
  return {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    boxes: boxes.map((box) => ({ ...box, ...cornerOf(box.key) })),
    lines: lines.map((line) => ({
      ...line,
      path: pathBetween(cornerOf(line.from), cornerOf(line.to)),
    })),
  };
}

/** From the side of one box to that of another, in a curve that leaves and reaches them level. */
function pathBetween(from: Point, to: Point): string {
  const isForward = from.x <= to.x;
  const [x, y] = [from.x + (isForward ? WIDTH : 0), from.y + HEIGHT / 2];
  const [endX, endY] = [to.x + (isForward ? 0 : WIDTH), to.y + HEIGHT / 2];
  const middle = (x + endX) / 2;
  return `M${x},${y}C${middle},${y} ${middle},${endY} ${endX},${endY}`;
}
