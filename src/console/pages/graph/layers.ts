// Places boxes in layers from left to right: each behind all that lead to it, near what it is linked with.

export interface Point {
  x: number;
  y: number;
}

interface Sizes {
  width: number;
  height: number;
  columnGap: number;
  rowGap: number;
}

interface Link {
  from: string;
  to: string;
}

const SWEEPS = 4;

/** The left upper corners, by key, and the size of the whole. A circle of links is cut where it closes. */
export function placeInLayers(keys: readonly string[], links: readonly Link[], sizes: Sizes) {
  const { width, height, columnGap, rowGap } = sizes;
  const columns = columnsOf(keys, links);
  const near = new Map(keys.map((key) => [key, [] as string[]]));
  for (const { from, to } of links) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const tallest = Math.max(...columns.map(({ length }) => length));
  const middles = new Map<string, number>();
  const settle = (column: string[]) => {
    for (const [at, key] of column.entries()) middles.set(key, (tallest - column.length) / 2 + at);
  };
  for (const column of columns) settle(column);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const meanOf = (key: string) => {
        const others = near.get(key) ?? [];
        const sum = others.reduce((total, other) => total + (middles.get(other) ?? 0), 0);
        return others.length > 0 ? sum / others.length : (middles.get(key) ?? 0);
      };
      const means = new Map(column.map((key) => [key, meanOf(key)]));
      column.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
      settle(column);
    }
  const places = new Map<string, Point>();
  for (const [at, column] of columns.entries())
    for (const key of column)
      places.set(key, {
        x: at * (width + columnGap),
        y: (middles.get(key) ?? 0) * (height + rowGap),
      });
  return {
    places,
    width: columns.length * (width + columnGap) - columnGap,
    height: tallest * (height + rowGap) - rowGap,
  };
}

/** The keys of each layer: a key is one behind the last that leads to it, or just before what it leads to. */
function columnsOf(keys: readonly string[], links: readonly Link[]): string[][] {
  const before = Map.groupBy(links, ({ to }) => to);
  const behind = Map.groupBy(links, ({ from }) => from);
  const layers = new Map<string, number>();
  const layerOf = (key: string, path: ReadonlySet<string>): number => {
    const known = layers.get(key);
    if (known !== undefined) return known;
    const on = new Set(path).add(key);
    const own = (before.get(key) ?? []).filter(({ from }) => !on.has(from));
    const layer = Math.max(0, ...own.map(({ from }) => layerOf(from, on) + 1));
    layers.set(key, layer);
    return layer;
  };
  for (const key of keys) layerOf(key, new Set());
  const columns: string[][] = [];
  for (const key of keys) {
    const next = (behind.get(key) ?? []).map(({ to }) => layers.get(to) ?? 0);
    const isFirst = !before.has(key) && next.length > 0;
    const layer = isFirst ? Math.max(0, Math.min(...next) - 1) : (layers.get(key) ?? 0);
    columns[layer] ??= [];
    columns[layer].push(key);
  }
  return [...columns].map((column) => column ?? []);
}
