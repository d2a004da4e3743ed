// Collects the results of a report as they come: within their limits, with their keys and links, in
// batches.
import { isFailing, isFlaky } from '../runs/flaky.ts';
import {
  type FieldFault,
  type KeyedResult,
  noTotals,
  type Problems,
  type ReaderLimits,
  type ReportResult,
  type ReportTry,
  TEXT_LIMITS,
} from './model.ts';
import { type StoryLinks, unique } from './story-links.ts';
import { createTestKeys } from './test-key.ts';
import {
  boundedName,
  boundedPath,
  boundedText,
  fileUnder,
  looksLikeFile,
  plainFile,
} from './text.ts';

export const BATCH_SIZE = 250;

/**
 * Is called before the first result with the caller's own fields, and with what is wrong with the
 * other fields at the top. May give what is to be done to each text of the report.
 */
export type OnRunFields = (
  runFields: Record<string, unknown>,
  faults: readonly FieldFault[],
) => Promise<((text: string) => string) | undefined>;

export interface ReaderContext {
  limits: ReaderLimits;
  emit(result: ReportResult): void;
  problems: Problems;
  links: StoryLinks;
  onRunFields: OnRunFields;
}

interface Place {
  file: string | null;
  path: string[];
  storyIds: readonly string[];
}

export function createCollector(problems: Problems, links: StoryLinks, maxResults: number) {
  const keys = createTestKeys();
  const totals = noTotals();
  const files = new Set<string>();
  /** Those that failed and may be tried again, with their equals since, by what they have in common. */
  const tries = new Map<string, { results: KeyedResult[]; listsTries: boolean }>();
  let [taken, isGreen] = [0, false];
  let root: string | undefined;
  let waiting: KeyedResult[] = [];
  let last: (Pick<ReportResult, 'file' | 'suites'> & { place: Place }) | undefined;

  return {
    totals,
    files,
    /** Where the files of what is taken from now on lie. */
    setRoot(folder: string | undefined): void {
      root = folder;
      last = undefined;
    },
    /** Takes the exit code of the run: with 0 what failed and passed later is one test. */
    setExitCode(exitCode: number | null | undefined): void {
      isGreen = exitCode === 0;
    },
    take(result: ReportResult): void {
      if (taken >= maxResults) {
        problems.add('too_many_results', `more than ${maxResults} results: the rest is left out`);
        return;
      }
      taken += 1;
      const place = last?.place;
      const keyed = keyedResult(result);
      // Tools that list tries do so suite by suite; any other may do it anywhere.
      if (!isGreen && place !== last?.place) settleTries();
      const base = keys.baseOf(keyed);
      const { listsTries = false } = result;
      const equals = tries.get(base);
      if (equals) equals.results.push(keyed);
      else if (isFailing(keyed.status) && (listsTries || isGreen))
        tries.set(base, { results: [keyed], listsTries });
      else settle(keyed, base);
    },
    /** Is to be called behind the last result. */
    end: settleTries,
    /** What waits, as batches; less than so many results go on waiting. */
    *batches(least: number): Generator<KeyedResult[]> {
      let at = 0;
      for (; waiting.length - at >= least; at += BATCH_SIZE)
        yield waiting.slice(at, at + BATCH_SIZE);
      waiting = waiting.slice(at);
    },
  };

  function settle(keyed: KeyedResult, base: string): void {
    keyed.testKey = keys.next(base);
    totals.tests += 1;
    totals[keyed.status] += 1;
    if (keyed.flaky) totals.flaky += 1;
    waiting.push(keyed);
  }

  function settleTries(): void {
    for (const [base, { results, listsTries }] of tries) {
      const end = results.at(-1);
      const areTries =
        (isGreen && end?.status === 'passed') ||
        (listsTries && results.slice(0, -1).every(({ status }) => isFailing(status)));
      if (end === undefined || results.length === 1 || !areTries) {
        for (const one of results) settle(one, base);
        continue;
      }
      end.attempts = boundedAttempts(
        results.flatMap((one) => (one.attempts.length > 0 ? one.attempts : one)),
      );
      end.flaky = isFlaky(end);
      settle(end, base);
    }
    tries.clear();
  }

  function keyedResult(result: ReportResult): KeyedResult {
    const { file, path, storyIds } = placeOf(result);
    const named = links.inName(result.name);
    const given = result.storyIds ?? [];
    const isLinked = given.length + storyIds.length > 0;
    const attempts = boundedAttempts(result.attempts ?? NO_ATTEMPTS);
    // Field by field: an object that is made with all its fields costs half of one that grows.
    return {
      testKey: '',
      name: boundedName(result.name) || '(unnamed)',
      path,
      file,
      line: result.line || null,
      parameters: result.parameters ?? null,
      status: result.status,
      durationMs: result.durationMs ?? null,
      attempts,
      flaky: attempts.length > 0 && isFlaky({ status: result.status, attempts }),
      message: boundedText(result.message, TEXT_LIMITS.messageBytes),
      trace: boundedText(result.trace, TEXT_LIMITS.traceBytes),
      contentSha256: sha256Of(result.contentSha256),
      storyIds: isLinked ? unique([...given, ...named, ...storyIds]) : named,
    };
  }

  /** Where a result stands: its file, and its suites without the file. Most stand where the last did. */
  function placeOf({ file: said, suites }: ReportResult): Place {
    if (last?.file === said && last?.suites === suites) return last.place;
    const written = said === undefined ? suites.find(looksLikeFile) : said;
    const plain = written ? boundedName(plainFile(written)) : null;
    const file = plain === null ? null : fileUnder(root, plain);
    if (file !== null) files.add(file);
    const names = suites.filter((name) => plain === null || plainFile(name) !== plain);
    const place = { file, path: boundedPath(names), storyIds: names.flatMap(links.inName) };
    last = { file: said, suites, place };
    return place;
  }
}

/** In lower case; null for what is none. */
function sha256Of(text: string | null | undefined): string | null {
  return text && /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : null;
}

const NO_ATTEMPTS: never[] = [];

function boundedAttempts(attempts: readonly ReportTry[]): KeyedResult['attempts'] {
  if (attempts.length === 0) return NO_ATTEMPTS;
  const most = TEXT_LIMITS.attempts;
  const some =
    attempts.length <= most ? attempts : [...attempts.slice(0, most - 1), ...attempts.slice(-1)];
  return some.map(({ status, durationMs = null, message, trace }) => {
    return {
      status,
      durationMs,
      message: boundedText(message, TEXT_LIMITS.messageBytes),
      trace: boundedText(trace, TEXT_LIMITS.traceBytes),
    };
  });
}
