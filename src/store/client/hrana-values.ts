// How the protocol of libSQL servers writes statements, values and results in JSON.
import type { InValue, ResultSet, Row, Value } from '@libsql/client';
import type { Step } from './hrana.ts';

/** A result of a statement as it is sent. */
export interface StatementResult {
  cols: { name: string | null; decltype: string | null }[];
  rows: HranaValue[][];
  affected_row_count: number;
  last_insert_rowid: string | null;
}

type HranaValue =
  | { type: 'null' }
  | { type: 'integer'; value: string }
  | { type: 'float'; value: number }
  | { type: 'text'; value: string }
  | { type: 'blob'; base64: string };

/** A step as it is sent. @throws RangeError for a number that is not finite */
export function encodeStep({ sql, args = [], condition }: Step): object {
  const values = Array.isArray(args)
    ? { args: args.map(encodeValue) }
    : {
        named_args: Object.entries(args).map(([name, value]) => ({
          name,
          value: encodeValue(value),
        })),
      };
  return { condition, stmt: { sql, ...values } };
}

function encodeValue(value: InValue): HranaValue {
  if (value === null || value === undefined) return { type: 'null' };
  if (typeof value === 'string') return { type: 'text', value };
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) };
  if (typeof value === 'boolean') return { type: 'integer', value: value ? '1' : '0' };
  if (value instanceof Date) return { type: 'integer', value: String(value.getTime()) };
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return { type: 'integer', value: String(value) };
    if (!Number.isFinite(value)) throw new RangeError('a number in a statement must be finite');
    return { type: 'float', value };
  }
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  const { buffer, byteOffset, byteLength } = bytes;
  return { type: 'blob', base64: Buffer.from(buffer, byteOffset, byteLength).toString('base64') };
}

/** A result as the driver's callers know it. */
export function decodeResult(result: StatementResult): ResultSet {
  const columns = result.cols.map((column) => column.name ?? '');
  // Drizzle reads rows by position: arrays are enough.
  const rows = result.rows.map((row) => row.map(decodeValue)) as unknown as Row[];
  const { affected_row_count: rowsAffected, last_insert_rowid: rowid } = result;
  return {
    columns,
    columnTypes: [],
    rows,
    rowsAffected,
    lastInsertRowid: rowid === null ? undefined : BigInt(rowid),
    toJSON: () => ({ columns, rows, rowsAffected }),
  };
}

function decodeValue(value: HranaValue): Value {
  switch (value.type) {
    case 'null':
      return null;
    case 'integer': {
      const number = Number(value.value);
      return Number.isSafeInteger(number) ? number : BigInt(value.value);
    }
    case 'blob':
      return Buffer.from(value.base64, 'base64') as unknown as ArrayBuffer;
    default:
      return value.value;
  }
}
