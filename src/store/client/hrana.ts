// The protocol of libSQL servers, Hrana 3 over HTTP in JSON
// (https://github.com/tursodatabase/libsql/blob/main/docs/HTTP_V3_SPEC.md): batches of statements
// on streams, one stream being one connection to the database on the server.
import type { InValue, ResultSet, Row, Value } from '@libsql/client';
import { StoreUnavailable } from '../errors.ts';
import { resultSet } from './drizzle.ts';

export interface Statement {
  sql: string;
  args?: InValue[] | undefined;
}

export type Condition =
  | { type: 'ok' | 'error'; step: number }
  | { type: 'is_autocommit' }
  | { type: 'not'; cond: Condition }
  | { type: 'and'; conds: Condition[] };

export interface Step extends Statement {
  condition?: Condition | undefined;
}

/** What became of a step: its result, the server's error, or nothing where it was not executed. */
export type Outcome = ResultSet | DatabaseError | StoreUnavailable | undefined;

export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

export type HranaClient = ReturnType<typeof createHranaClient>;
export type Stream = ReturnType<HranaClient['stream']>;

interface HranaError {
  message: string;
  code?: string;
}

type StreamResult =
  | { type: 'error'; error: HranaError }
  | {
      type: 'ok';
      response: {
        is_autocommit?: boolean;
        result?: {
          step_results: (StatementResult | null)[];
          step_errors: (HranaError | null)[];
        };
      };
    };

interface StatementResult {
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

interface PipelineAnswer {
  baton: string | null;
  base_url: string | null;
  results: StreamResult[];
}

const FIRST_ANSWER_MS = 7000;
const ANSWER_MS = 20_000;
const TROUBLE =
  /SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|LOCKED|NOMEM|CORRUPT)|TRANSACTION_|Transaction timed|disk is full|disk I\/O|database is locked|readonly database|transport error|BLOCKED/;

export function createHranaClient(origin: URL, token: string | undefined) {
  const headers = {
    'Content-Type': 'application/json',
    // Packing the answers costs the server more than it saves between neighbours.
    'Accept-Encoding': 'identity',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };

  async function post(address: URL, body: string, mostMs: number): Promise<PipelineAnswer> {
    let status: number;
    let text: string;
    try {
      const signal = AbortSignal.timeout(mostMs);
      const answer = await fetch(address, { method: 'POST', headers, body, signal });
      status = answer.status;
      text = await answer.text();
    } catch (cause) {
      throw new StoreUnavailable(cause);
    }
    const answer = parse(text);
    if (status === 200 && Array.isArray(answer.results)) return answer as PipelineAnswer;
    const said = answer.message ?? answer.error ?? text.slice(0, 200);
    throw new StoreUnavailable(new Error(`HTTP ${status}: ${said}`));
  }

  return {
    stream() {
      let base = origin;
      let baton: string | undefined;

      async function pipeline(requests: object[]): Promise<StreamResult[]> {
        const address = new URL('v3/pipeline', base);
        const mostMs = baton === undefined ? FIRST_ANSWER_MS : ANSWER_MS;
        const answer = await post(address, JSON.stringify({ baton, requests }), mostMs);
        baton = answer.baton ?? undefined;
        if (answer.base_url) base = withSlash(new URL(answer.base_url));
        return answer.results;
      }

      return {
        /**
         * Executes steps in their order, each with its outcome; `close` ends the stream and its transaction.
         * @throws StoreUnavailable when the server cannot be reached, or has forgotten the stream
         */
        async batch(steps: Step[], close = false) {
          const [ran, status] = await pipeline([
            { type: 'batch', batch: { steps: steps.map(encodeStep) } },
            { type: close ? 'close' : 'get_autocommit' },
          ]);
          if (ran?.type === 'error') throw errorOf(ran.error);
          // A replica that loses its primary half-way says `ok` without results.
          const { step_results: results = [], step_errors: errors = [] } =
            ran?.response.result ?? {};
          const outcomes = steps.map((_, index): Outcome => {
            const [result, error] = [results[index], errors[index]];
            if (error) return errorOf(error);
            return result ? decodeResult(result) : undefined;
          });
          const autocommit = status?.type !== 'ok' || status.response.is_autocommit !== false;
          return { outcomes, autocommit };
        },
        /** Executes a text of several statements up to the first that fails, and closes the stream. */
        async sequence(sql: string): Promise<void> {
          const [ran] = await pipeline([{ type: 'sequence', sql }, { type: 'close' }]);
          if (ran?.type !== 'ok') throw errorOf(ran?.error ?? { message: 'no answer' });
        },
      };
    },
  };
}

/** The address of a server; `libsql:` is `https:`. Undefined where it is none. */
export function serverOrigin(text: string): URL | undefined {
  const address = text.replace(/^libsql:/, 'https:');
  if (!/^https?:\/\/[^/?#]/.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.search = '';
  url.hash = '';
  return withSlash(url);
}

function withSlash(url: URL): URL {
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function parse(text: string): Partial<PipelineAnswer> & { message?: string; error?: string } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function errorOf({ message, code = '' }: HranaError): DatabaseError | StoreUnavailable {
  const error = new DatabaseError(message, code);
  return TROUBLE.test(`${code} ${message}`) ? new StoreUnavailable(error) : error;
}

export function inOrder(statements: Statement[]): Step[] {
  return statements.map((statement, index) =>
    index === 0 ? statement : { ...statement, condition: { type: 'ok', step: index - 1 } },
  );
}

function encodeStep({ sql, args = [], condition }: Step): object {
  return { condition, stmt: { sql, args: args.map(encodeValue) } };
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

function decodeResult({ cols, rows, ...result }: StatementResult): ResultSet {
  return resultSet(
    cols.map((column) => column.name ?? ''),
    rows.map((row) => row.map(decodeValue)) as unknown as Row[],
    result.affected_row_count,
    result.last_insert_rowid ?? undefined,
  );
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
