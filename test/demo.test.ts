// The requirements of pqrs itself: sound by our own audit, and named by tests that verify them.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoTests, storiesByFile } from '../scripts/demo-tests.ts';
import { ACCESS } from '../src/access/access.ts';
import { DEMO_SOURCES, demoCommands } from '../src/demo/content.ts';
import { readSettings } from '../src/requirements/projects/settings.ts';
import { readSources } from './support/read-sources.ts';
import { filesOf } from './support/source-files.ts';

const FOLDER = join(import.meta.dir, '../src/demo');

const files = filesOf(Object.fromEntries(DEMO_SOURCES.map(({ path, text }) => [path, text])));
const read = readSources(
  files.map((file) => ({ ...file, format: null })),
  readSettings({}).normative,
);
const { nodes, edges } = read.graph;
const stories = nodes.filter(({ kind }) => kind === 'story');
const goals = nodes.filter(({ kind }) => kind === 'requirement');
const known = new Set(nodes.map(({ id }) => id));

/** The stories that tests name in brackets, each with the files that do. */
function namedByTests(): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const [path, ids] of storiesByFile()) {
    for (const id of ids) named.set(id, [...(named.get(id) ?? []), path]);
  }
  return named;
}

/** The operations that the acceptance criteria of a story name, as `POST /issues`. */
function operationsOf(acceptance: readonly string[]): string[] {
  const named = acceptance.join('\n').matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^`?]*)/g);
  return [...new Set([...named].map(([, operation = '']) => operation))];
}

describe('the sources', () => {
  test('in the executable are those of the folder', () => {
    const inFolder = readdirSync(FOLDER).filter((name) => /\.(?:md|feature)$/.test(name));
    expect(DEMO_SOURCES.map(({ path }) => path)).toEqual(inFolder.sort());
    for (const { path, text } of DEMO_SOURCES) {
      expect(text).toBe(readFileSync(join(FOLDER, path), 'utf8'));
    }
  });

  test('are read whole, and nothing is found in them', () => {
    expect(read.sources.filter(({ status }) => status !== 'parsed')).toEqual([]);
    expect(read.findings).toEqual([]);
  });
});

describe('the commands', () => {
  test('are the test files that name stories; scripts/demo-tests.ts writes them down', () => {
    const text = readFileSync(join(FOLDER, 'tests.txt'), 'utf8');
    expect(text).toBe(demoTests());
    const commands = demoCommands();
    expect(commands.map(({ key, storyIds }) => [key, storyIds])).toEqual([...storiesByFile()]);
    expect(commands.length).toBeGreaterThan(100);
  });

  test('run their files, and each leaves a report of its own', () => {
    const commands = demoCommands();
    for (const { key, argv, report } of commands) {
      expect(argv).toContain(`./${key}`);
      expect(argv).toContain(`--reporter-outfile=${report?.path}`);
    }
    expect(new Set(commands.map(({ report }) => report?.path)).size).toBe(commands.length);
  });
});

describe('the stories', () => {
  test('are numbered without gaps in the order of the sources', () => {
    expect(stories.length).toBeGreaterThan(60);
    expect(new Set(stories.map(({ id }) => id)).size).toBe(stories.length);
    expect(stories.map(({ id }) => id)).toEqual(stories.map((_, at) => `PQRS-${at + 1}`));
  });

  test('say who wants what and why, and how it is checked', () => {
    for (const { title, statement, acceptance, priority, tags } of stories) {
      expect(title).not.toBe('');
      expect(statement).toMatch(/^As an? [\s\S]+, I want [\s\S]+, so that [\s\S]+\.$/);
      expect(acceptance.length).toBeGreaterThanOrEqual(3);
      expect(['high', 'medium', 'low']).toContain(priority!);
      expect(tags).not.toBeEmpty();
    }
  });

  test('each refine a goal, and every goal has its stories', () => {
    const refining = edges.filter(({ type }) => type === 'refines');
    expect(new Set(refining.map(({ from }) => from))).toEqual(new Set(stories.map(({ id }) => id)));
    expect(new Set(refining.map(({ to }) => to))).toEqual(new Set(goals.map(({ id }) => id)));
  });
});

test('every scenario names stories that there are', () => {
  const { scenarios } = read.catalog;
  expect(scenarios.length).toBeGreaterThan(40);
  expect(scenarios.filter(({ storyIds }) => storyIds.length === 0)).toEqual([]);
  expect(scenarios.flatMap(({ storyIds }) => storyIds).filter((id) => !known.has(id))).toEqual([]);
});

test('every story that a test names is there', () => {
  const named = namedByTests();
  expect([...named].filter(([id]) => !known.has(id))).toEqual([]);
  expect(named.size).toBeGreaterThan(50);
});

test('every operation that a story names is in the table of access', () => {
  const rows = new Set<string>(ACCESS.map(({ key }) => key));
  const operations = stories.flatMap(({ acceptance }) => operationsOf(acceptance));
  expect(operations.length).toBeGreaterThan(20);
  expect(operations.filter((operation) => !rows.has(operation))).toEqual([]);
});

test('every story that names operations is named by a test', () => {
  const named = namedByTests();
  const unnamed = stories.filter(({ id, acceptance }) => {
    return operationsOf(acceptance).length > 0 && !named.has(id);
  });
  expect(unnamed.map(({ id }) => id)).toEqual([]);
});
