// The suites of a JUnit report: their nesting, what they state, where a test stands in them, and what
// they say about the whole run.
import { readCount, readTime, rfc3339, secondsToMs } from './figures.ts';
import { looksLikeFile, plainFile } from './files.ts';
import { emptyHead, type ReportHead, type StatedTotals, type StoryLinks } from './model.ts';
import { type Counts, noCounts } from './problems.ts';
import { unique } from './story-links.ts';
import { addProperty, boundedName, boundedPath } from './text.ts';

export interface Suite {
  /** `testsuites` and the document itself have none. */
  name: string;
  /** Those from the outermost suite to this one that have names, and what these link to. */
  named: readonly { name: string; storyIds: readonly string[] }[];
  file: string | null;
  storyIds: readonly string[];
  stated: StatedTotals | null;
  /** Tests directly in it. */
  own: Counts;
  /** With those of the suites inside it. */
  all: Counts;
  parent: Suite | null;
  level: number;
  /** The last place that was asked for: most tests of a suite stand in the same. */
  place: { file: string | undefined; className: string | undefined; is: Place } | null;
}

export interface Place {
  file: string | null;
  path: string[];
  /** Linked to by the names of the path. */
  storyIds: readonly string[];
}

type Attributes = Record<string, string>;

const MAX_NAMED = 1000;

export function rootSuite(): Suite {
  return {
    name: '',
    named: [],
    file: null,
    storyIds: [],
    stated: null,
    own: noCounts(),
    all: noCounts(),
    parent: null,
    level: 0,
    place: null,
  };
}

export function suiteIn(
  parent: Suite,
  element: string,
  attributes: Attributes,
  links: StoryLinks,
): Suite {
  const written = element === 'testsuite' ? suiteName(attributes) : '';
  const name = boundedName(written);
  const file = attributes.file ?? attributes.filepath ?? (looksLikeFile(name) ? name : '');
  const isNamed = name !== '' && parent.named.length <= MAX_NAMED;
  return {
    name,
    named: isNamed ? [...parent.named, { name, storyIds: links.inName(written) }] : parent.named,
    file: file === '' ? parent.file : boundedName(plainFile(file)),
    storyIds: parent.storyIds,
    stated: statedBy(attributes),
    own: noCounts(),
    all: noCounts(),
    parent,
    level: parent.level + 1,
    place: null,
  };
}

function suiteName({ name = '', package: folder = '' }: Attributes): string {
  const more = folder !== '' && name !== '' && !name.startsWith(folder) && !folder.includes(name);
  return more ? `${folder}.${name}` : name || folder;
}

function statedBy(attributes: Attributes): StatedTotals | null {
  const { skipped, skips, skip, ignored, disabled } = attributes;
  const tests = readCount(attributes.tests);
  const failing = sumOf(readCount(attributes.failures), readCount(attributes.errors));
  if (tests === null && failing === null) return null;
  const idle = sumOf(readCount(skipped ?? skips ?? skip ?? ignored), readCount(disabled));
  return { tests, failing, skipped: idle };
}

function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

/**
 * Where a test of a suite stands: its file, and the suites without the name of the file. Where
 * suites do not nest, the class name is the innermost of the path.
 */
export function placeOf(suite: Suite, attributes: Attributes, links: StoryLinks): Place {
  const { file, classname: className } = attributes;
  const { place } = suite;
  if (place !== null && place.file === file && place.className === className) return place.is;
  const said = file ?? attributes.filepath ?? '';
  const is = makePlace(suite, said, className ?? attributes.class ?? '', links);
  suite.place = { file, className, is };
  return is;
}

function makePlace(suite: Suite, said: string, className: string, links: StoryLinks): Place {
  const ofClass = looksLikeFile(className) ? className : null;
  const written = said.trim() === '' ? (suite.file ?? ofClass) : said;
  const file = written === null ? null : boundedName(plainFile(written));
  const isFile = (name: string) => file !== null && (name === file || plainFile(name) === file);
  const named = suite.named.filter(({ name }) => !isFile(name));
  const names = named.map(({ name }) => name);
  const storyIds = named.flatMap((one) => one.storyIds);
  if (className.trim() !== '' && !isFile(className) && !isRepeated(className, names)) {
    names.push(className);
    storyIds.push(...links.inName(className));
  }
  return { file, path: boundedPath(names), storyIds: unique(storyIds) };
}

function isRepeated(className: string, names: readonly string[]): boolean {
  if (className === names.at(-1)) return true;
  if (names.length === 0 || names.length > 50) return false;
  return [' > ', ' › ', ' ', '.', '::', '/'].some(
    (mark) => className === names.join(mark) || className === names.toReversed().join(mark),
  );
}

const TOOLS = new Map([
  ['bun test', 'bun'],
  ['jest tests', 'jest'],
  ['Mocha Tests', 'mocha'],
  ['nextest-run', 'nextest'],
  ['pytest', 'pytest'],
  ['vitest tests', 'vitest'],
  ['AllTests', 'googletest'],
]);

const COMMIT =
  /^(?:(?:git|vcs|ci|build)[-_. ]?)?(?:commit|sha|revision)(?:[-_. ]?(?:sha|id|hash))?$/i;
const BRANCH = /^(?:(?:git|vcs|ci|build)[-_. ]?)?(?:branch|ref[-_. ]?name)(?:[-_. ]?name)?$/i;
const ENVIRONMENT = /^(?:test[-_. ]?)?env(?:ironment)?(?:[-_. ]?name)?$/i;

export interface HeadReader {
  head: ReportHead;
  /** Takes a suite when it begins. */
  suite(element: string, attributes: Attributes, level: number): void;
  /** Takes a property of a suite. */
  property(name: string, value: string, level: number): void;
  /** Completes the head. */
  finish(): void;
}

export function createHeadReader(): HeadReader {
  const head = emptyHead();
  let root: Attributes | undefined;
  let summedMs: number | null = null;
  let earliest: { ms: number; zoned: boolean } | null = null;
  return {
    head,
    suite(element, attributes, level) {
      if (level > 2) return;
      const { name = '' } = attributes;
      head.tool ??= TOOLS.get(name) ?? null;
      if (root === undefined) {
        root = attributes;
        head.name = boundedName(name) || null;
      }
      if (level === 1 && element === 'testsuites') return;
      summedMs = sumOf(summedMs, secondsToMs(attributes.time));
      const time = readTime(attributes.timestamp);
      if (time !== null && (earliest === null || time.ms < earliest.ms)) earliest = time;
    },
    property(name, value, level) {
      if (level > 2 || value === '') return;
      addProperty(head.properties, name, value);
      const bounded = boundedName(value, 300);
      if (COMMIT.test(name)) head.commit ??= bounded;
      else if (BRANCH.test(name)) head.branch ??= bounded;
      else if (ENVIRONMENT.test(name)) head.environment ??= bounded;
    },
    finish() {
      const start = readTime(root?.timestamp) ?? earliest;
      head.startedAt = start && rfc3339(start.ms);
      head.zoned = start?.zoned ?? false;
      head.durationMs = secondsToMs(root?.time) ?? summedMs;
    },
  };
}
