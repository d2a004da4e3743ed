// How an import tells how far it is: file by file as the readers ask for them, then stage by stage.
import { expect, test } from 'bun:test';
import { type OnProgress, watchFiles } from '../../../src/requirements/import/progress.ts';
import {
  type ImportMessage,
  importText,
  openRunner,
  workOn,
} from '../../../src/requirements/import/run-import.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import { readSources } from '../../support/read-sources.ts';

const { normative } = DEFAULT_SETTINGS;
const file = (path: string, text: string) => ({
  ...{ path, format: 'markdown' as const, bytes: new TextEncoder().encode(text) },
});
const files = [
  file('a.md', '## US-1: A\n'),
  file('b.md', '## US-2: B\n\nx\n'),
  file('c.feature', 'Feature: c\n'),
];
const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);

test('a file is begun when its bytes are first asked for', () => {
  const told: unknown[] = [];
  const watched = watchFiles(files, (...said) => told.push(said));
  expect(watched.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
  for (const one of [watched[1], watched[1], watched[0]]) void one?.bytes;
  expect(told).toEqual([
    ['parsing', 0, total],
    ['parsing', 0, total],
    ['parsing', files[1]?.bytes.byteLength, total],
  ]);
  expect(watchFiles(files, undefined)).toBe(files);
});

test('reading sources tells of each file, then of the graph and the audit [PQRS-16]', () => {
  const told: Parameters<OnProgress>[] = [];
  const read = readSources(files, normative, (...said) => told.push(said));
  expect(read).toEqual(readSources(files, normative));
  expect(told.map(([stage]) => stage)).toEqual([
    ...['parsing', 'parsing', 'parsing', 'parsing', 'graph', 'audit'],
  ] as never);
  const done = told.flatMap(([stage, at]) => (stage === 'parsing' ? [at] : []));
  expect(done).toEqual([...done].sort((a, b) => a - b));
  expect(done.every((at) => at < total)).toBe(true);
});

test('a worker says how far it is, then gives the same as is read at once [PQRS-16]', async () => {
  const many = Array.from(
    { length: 5000 },
    (_, at) => `## REQ-${at}: Number ${at}\n\nThe system shall do ${at}.\n`,
  );
  const job = { files: [file('many.md', many.join('\n'))], normative, revision: 7 };
  const told: string[] = [];
  const runner = openRunner(job.files);
  const running = runner.run(job, (stage) => told.push(stage));
  const read = await running.text.finally(runner.close);
  const graph = await running.graph;
  const atOnce: Uint8Array[] = [];
  expect(read).toEqual(importText(job, (bytes) => atOnce.push(bytes)));
  expect([graph]).toEqual(atOnce as never);
  expect(new TextDecoder().decode(graph)).toStartWith('{"revision":7,"nodes":[{');
  expect([...new Set(told)]).toEqual(['parsing', 'graph', 'audit']);
}, 30_000);

test('large files move to the worker and back, and small ones beside them stay', async () => {
  const large = `## REQ-1: One\n\n${'The system shall do one. '.repeat(100_000)}\n`;
  const both = new TextEncoder().encode(`${large}## REQ-2: Two\n`);
  const split = new TextEncoder().encode(large).byteLength;
  const given = [
    { path: 'a.md', format: 'markdown' as const, bytes: both.subarray(0, split) },
    { path: 'b.md', format: 'markdown' as const, bytes: both.subarray(split) },
    file('c.md', '## REQ-3: Three\n'),
  ];
  const copies = given.map(({ bytes }) => bytes.slice());
  const job = { files: given, normative, revision: 1 };
  const runner = openRunner(job.files);
  const running = runner.run(job);
  expect(given.map(({ bytes }) => bytes.byteLength)).toEqual([0, 0, copies[2]?.byteLength ?? 0]);
  await running.files;
  expect(given.map(({ bytes }) => bytes)).toEqual(copies);
  const { counts } = await running.text.finally(runner.close);
  expect(counts.nodes).toBe(6);
}, 30_000);

test('what breaks in a worker is told, and not thrown [PQRS-16]', () => {
  const said: ImportMessage[] = [];
  const broken = { files: null, normative, revision: 1 } as never;
  workOn(broken, (message) => said.push(message));
  expect(said).toMatchObject([{ failed: expect.stringContaining('TypeError') }]);
});
