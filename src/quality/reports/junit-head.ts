// What the suites of a JUnit report say about the whole run: its name, times, totals, commit.
import { readTime, rfc3339, secondsToMs } from './figures.ts';
import { emptyHead, noStatedTotals, type ReportHead, type StatedTotals } from './model.ts';
import { addProperty, boundedName } from './text.ts';

export interface JunitHead {
  head: ReportHead;
  /** Takes a suite; level 1 is the root of the document. */
  suite(
    name: string,
    attributes: Record<string, string>,
    level: number,
    stated: StatedTotals | null,
  ): void;
  property(name: string, value: string, level: number): void;
  /** Completes the head. */
  finish(): void;
}

/** Names that frameworks give to their root or only suite. */
const TOOLS: Record<string, string> = {
  'bun test': 'bun',
  'jest tests': 'jest',
  'Mocha Tests': 'mocha',
  'nextest-run': 'nextest',
  pytest: 'pytest',
  'vitest tests': 'vitest',
  AllTests: 'googletest',
};

const COMMIT =
  /^(?:(?:git|vcs|ci|build)[-_. ]?)?(?:commit|sha|revision)(?:[-_. ]?(?:sha|id|hash))?$/i;
const BRANCH = /^(?:(?:git|vcs|ci|build)[-_. ]?)?(?:branch|ref[-_. ]?name)(?:[-_. ]?name)?$/i;
const ENVIRONMENT = /^(?:test[-_. ]?)?env(?:ironment)?(?:[-_. ]?name)?$/i;

/** Starts the head of a report. */
export function junitHead(): JunitHead {
  const head = emptyHead();
  /** Whether the root itself gave a duration, a start, totals. */
  let rooted = false;
  let rootTimes: Record<string, string> = {};
  let rootStated: StatedTotals | null = null;
  let summed: StatedTotals | null = null;
  let summedMs: number | null = null;
  let earliest: { ms: number; zoned: boolean } | null = null;

  return { head, suite, property, finish };

  function suite(
    name: string,
    attributes: Record<string, string>,
    level: number,
    stated: StatedTotals | null,
  ): void {
    if (level > 2) return;
    const title = attributes.name ?? '';
    head.tool ??= (Object.hasOwn(TOOLS, title) ? TOOLS[title] : undefined) ?? null;
    if (level === 1 && !rooted) {
      rooted = true;
      rootTimes = attributes;
      rootStated = stated;
      head.name = boundedName(title) || null;
    }
    // A second document behind the first counts as the suites of a root do.
    if (level === 1 && name === 'testsuites') return;
    add(attributes, stated);
  }

  function add(attributes: Record<string, string>, stated: StatedTotals | null): void {
    if (stated !== null) summed = summed === null ? stated : sumOf(summed, stated);
    const ms = secondsToMs(attributes.time);
    if (ms !== null) summedMs = (summedMs ?? 0) + ms;
    const time = readTime(attributes.timestamp);
    if (time !== null && (earliest === null || time.ms < earliest.ms)) earliest = time;
  }

  function property(name: string, value: string, level: number): void {
    if (level > 2 || value === '') return;
    addProperty(head.properties, name, value);
    const own = () => boundedName(value, 300);
    if (COMMIT.test(name)) head.commit ??= own();
    else if (BRANCH.test(name)) head.branch ??= own();
    else if (ENVIRONMENT.test(name)) head.environment ??= own();
  }

  function finish(): void {
    const start = readTime(rootTimes.timestamp) ?? earliest;
    head.startedAt = start === null ? null : rfc3339(start.ms);
    head.zoned = start?.zoned ?? false;
    head.durationMs = secondsToMs(rootTimes.time) ?? summedMs;
    head.stated = rootStated ?? summed;
  }
}

function sumOf(one: StatedTotals, two: StatedTotals): StatedTotals {
  const add = (a: number | null, b: number | null) =>
    a === null && b === null ? null : (a ?? 0) + (b ?? 0);
  return {
    ...noStatedTotals(),
    tests: add(one.tests, two.tests),
    failed: add(one.failed, two.failed),
    broken: add(one.broken, two.broken),
    skipped: add(one.skipped, two.skipped),
  };
}
