// One test of a CTRF report: its status in whatever words, its tries, its tags and labels.

import { boundedMs, readCount } from './figures.ts';
import { looksLikeFile, plainFile } from './files.ts';
import { type JsonObject, numberOf, objectOf, textOf, textsOf } from './json-fields.ts';
import type { ResultStatus } from './model.ts';
import { type Attempt, type ReaderContext, type ReportResult, TEXT_LIMITS } from './model.ts';
import { parametersOf } from './parameters.ts';
import { isStoryLink, type StoryLinks, unique } from './story-links.ts';
import { boundedMessage, boundedName, boundedPath, boundedTrace, sha256Of } from './text.ts';

export interface CtrfTests {
  /** Reads a test; undefined, and noted, where it is none. */
  result(test: unknown, pointer: string): ReportResult | undefined;
  /** What was not to the schema, each once with how often. */
  faults(): string[];
}

const STATUSES: ReadonlyMap<string, ResultStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['other', 'unknown'],
]);

/** What tools write that do not hold to the five. */
const LOOSE: ReadonlyMap<string, ResultStatus> = new Map([
  ...(['pass', 'success', 'ok', 'flaky'] as const).map((word) => [word, 'passed'] as const),
  ...(['fail', 'failure', 'timedout', 'timeout'] as const).map((word) => [word, 'failed'] as const),
  ...(['error', 'errored', 'broken', 'crashed', 'interrupted'] as const).map(
    (word) => [word, 'broken'] as const,
  ),
  ...(['skip', 'todo', 'disabled', 'ignored'] as const).map((word) => [word, 'skipped'] as const),
  ...(['unknown', ''] as const).map((word) => [word, 'unknown'] as const),
]);

/** Starts the reading of a report's tests. */
export function createCtrfTests({ problems, links }: ReaderContext): CtrfTests {
  const faults = new Map<string, number>();
  const fault = (text: string) => faults.set(text, (faults.get(text) ?? 0) + 1);
  return {
    result,
    faults: () => [...faults].map(([text, count]) => `${text}, in ${count} of the tests`),
  };

  function result(value: unknown, pointer: string): ReportResult | undefined {
    const test = objectOf(value);
    if (test === undefined) {
      problems.error('invalid_field', 'not a test', { pointer });
      return undefined;
    }
    const named = textOf(test.name) ?? '';
    const name = boundedName(named);
    if (name === '') fault('name is missing');
    const file = fileOf(test);
    const last = triedOf(test, pointer);
    const suites = suitesOf(test.suite, file);
    return {
      ...{
        name: name || '(unnamed)',
        path: boundedPath(suites),
        file,
        line: readCount(test.line) || null,
      },
      ...{ parameters: parametersOf(test.parameters), ...last },
      attempts: attemptsOf(test, last, pointer),
      contentSha256: sha256Of(objectOf(test.extra)?.contentSha256),
      storyIds: storiesOf(test, [named, ...suites], links),
    };
  }

  function statusOf(test: JsonObject, pointer: string): ResultStatus {
    const said = textOf(test.status)?.trim() ?? '';
    const word = said.toLowerCase().replace(/[\s_-]/g, '');
    const status = STATUSES.get(said);
    // Other and failed say less than the tool's own word for it.
    const raw = textOf(test.rawStatus)
      ?.toLowerCase()
      .replace(/[\s_-]/g, '');
    const own = raw === undefined ? undefined : LOOSE.get(raw);
    if (own === 'broken' && (status === 'failed' || status === 'unknown')) return own;
    if (status !== undefined) return status;
    const loose = STATUSES.get(word) ?? LOOSE.get(word);
    if (loose !== undefined && word !== '') fault('status is none of the five words');
    else problems.warning('unknown_status', `the status "${said}" is not known`, { pointer });
    return loose ?? 'unknown';
  }

  function triedOf(test: JsonObject, pointer: string): Attempt {
    const duration = numberOf(test.duration);
    if (duration === undefined) fault('duration is missing');
    else if (!Number.isInteger(duration)) fault('duration is not whole milliseconds');
    const start = numberOf(test.start);
    if (start !== undefined && start > 0 && start < 1e11) {
      problems.warning('mixed_units', 'times of tests in seconds, not milliseconds', { pointer });
    }
    return {
      status: statusOf(test, pointer),
      durationMs: duration === undefined ? null : boundedMs(duration),
      message: boundedMessage(textOf(test.message)),
      trace: boundedTrace(textOf(test.trace)),
    };
  }

  /**
   * Every try in order. Some tools list the last one among the retries and some do not; some only
   * say how many there were.
   */
  function attemptsOf(test: JsonObject, last: Attempt, pointer: string): Attempt[] {
    const retries = readCount(test.retries) ?? 0;
    const listed = Array.isArray(test.retryAttempts) ? test.retryAttempts : [];
    if (listed.length > 0) {
      const tries = listed
        .map(objectOf)
        .filter((attempt) => attempt !== undefined)
        .sort((a, b) => (numberOf(a.attempt) ?? 0) - (numberOf(b.attempt) ?? 0))
        .map((attempt) => {
          const { status, durationMs, ...texts } = triedOf({ duration: 0, ...attempt }, pointer);
          const known = attempt.duration === undefined ? null : durationMs;
          return { status, durationMs: known, ...texts };
        });
      const hasLast =
        tries.at(-1)?.status === last.status && (retries === 0 || tries.length > retries);
      return bounded(hasLast ? tries : [...tries, last]);
    }
    const retried = test.flaky === true ? Math.max(retries, 1) : retries;
    if (retried === 0 || test.flaky === false) return [];
    const before: Attempt = { status: 'failed', durationMs: null, message: null, trace: null };
    const tries = Array.from({ length: Math.min(retried, TEXT_LIMITS.attempts) }, () => before);
    return last.status === 'skipped' ? [] : bounded([...tries, last]);
  }

  function suitesOf(suite: unknown, file: string | null): string[] {
    if (typeof suite === 'string') fault('suite is a text, not a list');
    const names = typeof suite === 'string' ? suite.split(/ (?:>|›|») /) : textsOf(suite);
    return names.filter((name) => plainFile(name) !== file);
  }
}

function bounded(attempts: Attempt[]): Attempt[] {
  const most = TEXT_LIMITS.attempts;
  if (attempts.length <= most) return attempts;
  return [...attempts.slice(0, most - 1), ...attempts.slice(-1)];
}

function fileOf(test: JsonObject): string | null {
  const said = textOf(test.filePath) ?? textOf(test.filepath) ?? textOf(test.file);
  if (said !== undefined) return boundedName(plainFile(said.trim()));
  const [first] =
    typeof test.suite === 'string' ? test.suite.split(/ (?:>|›|») /) : textsOf(test.suite);
  return first !== undefined && looksLikeFile(first) ? boundedName(plainFile(first)) : null;
}

function storiesOf(test: JsonObject, names: readonly string[], links: StoryLinks): string[] {
  const linked = [test.labels, test.extra].flatMap((fields) =>
    Object.entries(objectOf(fields) ?? {})
      .filter(([key]) => isStoryLink(key))
      .flatMap(([, value]) => textsOf(value).flatMap(links.inValue)),
  );
  const tagged = textsOf(test.tags).slice(0, 200).flatMap(links.inTag);
  return unique([...linked, ...tagged, ...names.flatMap(links.inName)]);
}
