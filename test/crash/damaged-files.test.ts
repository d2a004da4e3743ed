// Stored files that are cut, altered or gone: what can be made again is, what cannot is `410` beside a
// failing check, and nothing is `500`.
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import {
  ask,
  copyOf,
  failingChecks,
  type GoodFolder,
  makeGoodFolder,
  SOURCES,
  storedFiles,
} from '../support/damaged-instance.ts';
import { openInstance } from '../support/instance.ts';

let good: GoodFolder;
let derived: Set<string>;

beforeAll(async () => {
  good = await makeGoodFolder();
  const database = new Database(join(good.dataDir, 'pqrs.db'));
  const [row] = database
    .prepare('select graph_sha256, audit_sha256, catalog_sha256 from revisions')
    .raw(true)
    .all([]) as string[][];
  database.close();
  derived = new Set(row);
});

/** Opens a copy after some damage, and asks for everything. */
async function answersAfter(damage: (dataDir: string) => void) {
  const dataDir = copyOf(good.dataDir);
  damage(dataDir);
  const instance = await openInstance({}, { dataDir });
  try {
    const answers = await ask(instance, good.token, good.paths);
    const failing = await failingChecks(instance, good.token);
    const wrong = good.paths.filter(
      (path) => answers[path]?.text !== good.answers[path]?.text || answers[path]?.status !== 200,
    );
    return { dataDir, instance, answers, failing, wrong, logged: instance.logged() };
  } finally {
    await instance.close();
  }
}

const hashOf = (file: string) => file.slice(-64);

test('all is answered alike before any damage', async () => {
  const { wrong, failing } = await answersAfter(() => {});
  expect([wrong, failing]).toEqual([[], []]);
});

/** All that is derived, a source, and attachments. */
function someFiles(): string[] {
  const stored = storedFiles(good.dataDir);
  const isSource = (file: string) =>
    readFileSync(join(good.dataDir, file), 'utf8').startsWith('# P');
  const [made, sent] = [true, false].map((is) =>
    stored.filter((file) => derived.has(hashOf(file)) === is),
  );
  const [sources, attachments] = [true, false].map((is) =>
    sent?.filter((file) => isSource(file) === is),
  );
  return [...(made ?? []), ...(sources ?? []).slice(0, 1), ...(attachments ?? []).slice(0, 2)];
}

describe('a stored file', () => {
  test('cut to half or removed: made again, or 410 beside a failing check', async () => {
    expect(derived.size).toBe(3);
    for (const [at, file] of someFiles().entries()) {
      const { dataDir, answers, failing, wrong } = await answersAfter((folder) => {
        const path = join(folder, file);
        if (at % 2 === 0) rmSync(path);
        else truncateSync(path, Math.floor(readFileSync(path).byteLength / 2));
      });
      if (derived.has(hashOf(file))) {
        expect([file, wrong, failing]).toEqual([file, [], []]);
        expect(readFileSync(join(dataDir, file))).toEqual(readFileSync(join(good.dataDir, file)));
      } else {
        expect(failing).toEqual(['files:content']);
        expect(wrong.length).toBe(1);
        expect(answers[wrong[0] ?? '']).toMatchObject({ status: 410, code: 'gone' });
      }
    }
  }, 120_000);

  test('altered, of the same size: derived ones are made again, sources are 410', async () => {
    for (const file of someFiles()) {
      const { wrong, answers } = await answersAfter((folder) => {
        const bytes = readFileSync(join(folder, file));
        bytes.fill(0x20, 0, 20);
        writeFileSync(join(folder, file), bytes);
      });
      const codes = wrong.map((path) => answers[path]?.code);
      expect(codes.filter((code) => code !== undefined && code !== 'gone')).toEqual([]);
      if (derived.has(hashOf(file))) expect(wrong).toEqual([]);
    }
  }, 120_000);
});

test('all that is derived and a source gone: 410 with the name, until the sources come again', async () => {
  const dataDir = copyOf(good.dataDir);
  const stored = storedFiles(dataDir);
  const source = stored.find((file) => readFileSync(join(dataDir, file), 'utf8').startsWith('# P'));
  for (const file of stored.filter((file) => derived.has(hashOf(file)) || file === source))
    rmSync(join(dataDir, file));
  const instance = await openInstance({}, { dataDir });
  try {
    const { token } = good;
    const before = await ask(instance, token, good.paths);
    expect(Object.values(before).filter(({ status }) => status >= 500)).toEqual([]);
    expect(before['/api/srs-graph']).toMatchObject({ status: 410, code: 'gone' });
    expect(before['/api/srs-graph']?.text).toMatch(/part-\d\.md/);
    expect(before['/api/issues']?.status).toBe(200);
    expect(await failingChecks(instance, token)).toEqual(['files:content']);
    expect(instance.logged()).toContain('is missing or damaged');
    await instance.fetch('/api/projects', {
      ...{ method: 'POST', token, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ slug: 'default', sources: SOURCES }),
    });
    const after = await ask(instance, token, good.paths);
    for (const path of good.paths) expect([path, after[path]]).toEqual([path, good.answers[path]]);
    expect(storedFiles(dataDir)).toEqual(stored);
  } finally {
    await instance.close();
  }
});
