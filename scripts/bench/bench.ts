// What a bench is, and the table of their results.

/** One line of the table. */
export interface Row {
  work: string;
  measured: string;
  limit: string;
  /** Undefined where there is no limit: the line is for comparison alone. */
  ok: boolean | undefined;
}

export interface Ground {
  /** The compiled service. */
  pqrs: string;
  /** The bare server, compiled as the service is. */
  bare: string;
  /** The bare server as `bun build --compile` makes it. */
  plain: string;
  /** Says what is going on. */
  say(text: string): void;
}

/** Measures one thing beside what it is measured against, in the same run. */
export type Bench = (ground: Ground) => Promise<Row[]>;

/** The table as text, its columns aligned. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [
    ['work', 'measured', 'limit', 'ok'],
    ...rows.map((row) => [row.work, row.measured, row.limit, verdictOf(row)]),
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  );
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function verdictOf({ ok }: Row): string {
  if (ok === undefined) return '';
  return ok ? 'yes' : 'NO';
}

/** A number with separators, rounded to whole. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A number with three digits that mean something. */
export function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** Bytes as MiB. */
export function mebibytes(bytes: number): string {
  return `${short(bytes / 2 ** 20)} MiB`;
}
