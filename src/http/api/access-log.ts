// The access log: a line in the process's log for each refused or failed request, and for every one
// where that is wanted. The route stands for the path, which may hold a signature.
import type { Config } from '../../config.ts';
import type { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../model/metrics.ts';
import { problemResponse, toProblem } from './problem.ts';
import { requestIdOf } from './request.ts';

export interface Answered {
  request: Request;
  requestId: string;
  /** The template of its path; null where no route takes it. */
  route: string | null;
  status: number;
  /** From the request to its answer. */
  ms: number;
  /** The caller's token, good or not; null where it is not known. */
  tokenId: string | null;
}

export type AccessLog = ReturnType<typeof createAccessLog>;

const MAX_LINES = 20;
const WINDOW_MS = 1000;

/** Under a flood of refusals it writes some and a count of the others, unless it logs every request. */
export function createAccessLog(
  { accessLog }: Pick<Config, 'accessLog'>,
  log: Log,
  metrics: Metrics,
) {
  const level = accessLog === 'all' ? 'info' : 'debug';
  const logsAll = accessLog !== 'none' && log.isLevelEnabled(level);
  const refusals = new Map<string | null, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function endWindow(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [tokenId, count] of refusals) {
      const leftOut = count - MAX_LINES;
      if (leftOut > 0) log.warn({ tokenId, leftOut }, 'requests refused without a line each');
    }
    refusals.clear();
  }

  function isSampled(tokenId: string | null): boolean {
    timer ??= setTimeout(endWindow, WINDOW_MS).unref();
    const count = (refusals.get(tokenId) ?? 0) + 1;
    refusals.set(tokenId, count);
    return count <= MAX_LINES;
  }

  return {
    /** Whether a request that was neither refused nor failed is logged. */
    logsAll,
    /** Writes the line of a request, as far as it is to have one, and counts a refusal. */
    record(answered: Answered, problem?: Problem): void {
      const { status, tokenId } = answered;
      const code = problem?.code;
      if (code !== undefined) metrics.refused(code);
      // A refusal that was meant, as of too many requests, has no cause and needs no stack.
      const err = problem?.cause ?? (code === 'internal' ? problem : undefined);
      if (status >= 500 && err !== undefined) {
        log.error({ ...fieldsOf(answered), code, err }, 'a request failed');
      } else if (status >= 400) {
        if (accessLog === 'none' || !(logsAll || isSampled(tokenId))) return;
        log.info({ ...fieldsOf(answered), code }, 'request refused');
      } else if (logsAll) log[level](fieldsOf(answered), 'request');
    },
    /** Writes how many lines were left out until now. */
    close: endWindow,
  };
}

/** The answer to a request that was refused before an operation took it, and its line. */
export function refusal(
  accessLog: AccessLog,
  request: Request,
  error: unknown,
  route: string | null,
): Response {
  const problem = toProblem(error);
  const requestId = requestIdOf(request);
  const { status, tokenId = null } = problem;
  accessLog.record({ request, requestId, route, status, ms: 0, tokenId }, problem);
  return problemResponse(problem, requestId);
}

function fieldsOf({ request, requestId, route, status, ms, tokenId }: Answered) {
  const { method } = request;
  return { requestId, method, route, status, ms: Math.round(ms * 100) / 100, tokenId };
}
