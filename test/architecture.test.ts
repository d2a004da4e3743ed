// The order of the areas: each imports only from those below it, and no files in a circle.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Glob } from 'bun';

/** From the top down; an area that is not here yet takes its place when it comes. */
const FLOORS = [
  'main.ts',
  'cli',
  'console',
  'client.ts',
  'app.ts',
  'areas.ts',
  'demo',
  'operations',
  'agents',
  'assurance',
  'quality',
  'requirements',
  'evidence',
  'http',
  'services.ts',
  'access',
  'masking',
  'store',
  'model',
  'runtime',
  'config.ts',
];

/** What every floor may use: it rests on nothing but itself. */
const GROUND = ['errors.ts', 'faults.ts', 'limits.ts', 'log.ts', 'clock.ts', 'version.ts'];

const SRC = join(import.meta.dir, '..', 'src');

interface Import {
  from: string;
  to: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    from: file,
    to: relative(SRC, join(SRC, dirname(file), path)),
  }));
}

function areaOf(file: string): string {
  return file.split('/')[0] ?? file;
}

const files = [...new Glob('**/*.{ts,tsx}').scanSync(SRC)].filter(
  (file) => !file.endsWith('.d.ts'),
);
const imports = files
  .flatMap(importsOf)
  .filter(({ to }) => /\.tsx?$/.test(to) && !to.startsWith('..'));

describe('the tower', () => {
  test('every file stands on a known floor', () => {
    const unknown = files
      .map(areaOf)
      .filter((area) => !FLOORS.includes(area) && !GROUND.includes(area));
    expect(unknown).toEqual([]);
    expect(files.length).toBeGreaterThan(50);
  });

  test('an area imports only from areas below it', () => {
    expect(imports.length).toBeGreaterThan(100);
    const upwards = imports.filter(({ from, to }) => {
      const [here, there] = [areaOf(from), areaOf(to)];
      if (here === there || GROUND.includes(there)) return false;
      if (GROUND.includes(here)) return true;
      return FLOORS.indexOf(there) <= FLOORS.indexOf(here);
    });
    expect(upwards).toEqual([]);
  });

  test('imports make no circle, those of types included', () => {
    let left = imports.filter(({ from, to }) => from !== to);
    for (let before = 0; before !== left.length; ) {
      before = left.length;
      const importers = new Set(left.map(({ from }) => from));
      const imported = new Set(left.map(({ to }) => to));
      left = left.filter(({ from, to }) => importers.has(to) && imported.has(from));
    }
    expect(left).toEqual([]);
  });

  test('a folder has at most 25 files', () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const full = [...folders].filter(([, some]) => some.length > 25).map(([folder]) => folder);
    expect(full).toEqual([]);
  });

  test('only routes, and what puts them together, import the layer of HTTP', () => {
    const mayImport = /^(?:http|cli)\/|^(?:app|areas|services|client)\.ts$|routes\.ts$/;
    const others = imports.filter(({ from, to }) => areaOf(to) === 'http' && !mayImport.test(from));
    expect(others).toEqual([]);
  });

  test('only the runtime names the runtimes it runs on', () => {
    const naming = files.filter((file) => {
      if (file.startsWith('runtime/')) return false;
      const text = readFileSync(join(SRC, file), 'utf8');
      return /\bBun\.|'bun:|\bDeno\./.test(text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''));
    });
    expect(naming).toEqual([]);
  });
});
