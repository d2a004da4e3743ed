// The suites of a JUnit report: their nesting, what they state, and where a test stands in them.

import { type Counts, noCounts } from './counts.ts';
import { readCount } from './figures.ts';
import { looksLikeFile, plainFile } from './files.ts';
import type { StatedTotals } from './model.ts';
import { type StoryLinks, unique } from './story-links.ts';
import { boundedName, boundedPath } from './text.ts';

export interface Suite {
  /** `testsuites` and the document itself have none. */
  name: string;
  /** Those from the outermost suite to this one that have names. */
  named: readonly Named[];
  file: string | null;
  storyIds: readonly string[];
  stated: StatedTotals | null;
  /** Tests directly in it. */
  own: Counts;
  /** With those of the suites inside it. */
  all: Counts;
  parent: Suite | null;
  /** The last place that was asked for: most tests of a suite stand in the same. */
  place: { file: string | undefined; className: string | undefined; is: Place } | null;
}

/** A name, and what it links to where it is whole. */
interface Named {
  name: string;
  storyIds: readonly string[];
}

/** Where a test stands. */
export interface Place {
  file: string | null;
  path: string[];
  /** Linked to by the names of the path. */
  storyIds: readonly string[];
}

/** The place of everything that has no suite. */
export function rootSuite(): Suite {
  return {
    ...{ name: '', named: [], file: null, storyIds: [], stated: null },
    ...{ own: noCounts(), all: noCounts(), parent: null, place: null },
  };
}

/** A suite in another; `testsuites` adds no name. */
export function suiteIn(
  parent: Suite,
  element: string,
  attributes: Record<string, string>,
  links: StoryLinks,
): Suite {
  const written = element === 'testsuite' ? suiteName(attributes) : '';
  const name = boundedName(written);
  const said = attributes.file ?? attributes.filepath ?? (looksLikeFile(name) ? name : undefined);
  return {
    name,
    named:
      name === '' || parent.named.length > 1000
        ? parent.named
        : [...parent.named, { name, storyIds: links.inName(written) }],
    file: said === undefined || said === '' ? parent.file : boundedName(plainFile(said)),
    storyIds: parent.storyIds,
    stated: statedBy(attributes),
    ...{ own: noCounts(), all: noCounts(), parent, place: null },
  };
}

function suiteName({ name = '', package: folder = '' }: Record<string, string>): string {
  const more = folder !== '' && name !== '' && !name.startsWith(folder) && !folder.includes(name);
  return more ? `${folder}.${name}` : name || folder;
}

function statedBy(attributes: Record<string, string>): StatedTotals | null {
  const tests = readCount(attributes.tests);
  const failed = readCount(attributes.failures);
  const broken = readCount(attributes.errors);
  if (tests === null && failed === null && broken === null) return null;
  const skipped = readCount(
    attributes.skipped ?? attributes.skips ?? attributes.skip ?? attributes.ignored,
  );
  const disabled = readCount(attributes.disabled);
  const idle = skipped === null && disabled === null ? null : (skipped ?? 0) + (disabled ?? 0);
  return { tests, passed: null, failed, broken, skipped: idle, unknown: null };
}

/**
 * Where a test of a suite stands: its file, and the suites without the name of the file. Where
 * suites do not nest, the class name is the innermost of the path.
 */
export function placeOf(
  suite: Suite,
  attributes: Record<string, string>,
  links: StoryLinks,
): Place {
  const { file, classname: className } = attributes;
  const { place } = suite;
  if (place !== null && place.file === file && place.className === className) return place.is;
  const is = makePlace(
    suite,
    file ?? attributes.filepath,
    className ?? attributes.class ?? '',
    links,
  );
  suite.place = { file, className, is };
  return is;
}

function makePlace(
  suite: Suite,
  said: string | undefined,
  className: string,
  links: StoryLinks,
): Place {
  const written =
    said !== undefined && said.trim() !== ''
      ? said
      : (suite.file ?? (looksLikeFile(className) ? className : null));
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

/** Whether a class name says no more than the suites; bun joins them from the innermost out. */
function isRepeated(className: string, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  if (className === names.at(-1)) return true;
  if (names.length > 50) return false;
  return [' > ', ' › ', ' ', '.', '::', '/'].some(
    (mark) => className === names.join(mark) || className === names.toReversed().join(mark),
  );
}
