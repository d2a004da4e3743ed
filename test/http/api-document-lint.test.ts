// Spectral's rules for OpenAPI, run without a network.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { apiDocument } from '../../src/app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dir, '..', '..');
const LIMIT_MS = 60_000;

/** Lints a document; gives what Spectral found, of whatever severity. */
async function lint(document: unknown): Promise<{ code: string; path: string }[]> {
  const file = join(temporaryFolder('lint'), 'openapi.json');
  await Bun.write(file, JSON.stringify(document));
  const spectral = join(root, 'node_modules', '@stoplight', 'spectral-cli', 'dist', 'index.js');
  const ruleset = join(import.meta.dir, 'spectral.yaml');
  const command = ['lint', file, '--ruleset', ruleset, '--format', 'json', '--quiet'];
  const run = Bun.spawn([process.execPath, spectral, ...command], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  if (errors.trim() !== '' || output.trim() === '') throw new Error(`Spectral failed: ${errors}`);
  const found = JSON.parse(output) as { code: string; path: (string | number)[] }[];
  return found.map(({ code, path }) => ({ code, path: path.join('/') }));
}

describe('spectral:oas [PQRS-80]', () => {
  test(
    'finds nothing in the document',
    async () => {
      expect(await lint(await apiDocument())).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'would find an example that is none and an operation without a description',
    async () => {
      const document = structuredClone(await apiDocument());
      const operation = document.paths['/api/issues']?.post;
      const body = operation?.requestBody as { content: Record<string, { example: object }> };
      Object.assign(body.content['application/json']?.example ?? {}, { nonsense: 1 });
      delete operation?.description;
      const codes = (await lint(document)).map(({ code }) => code);
      expect(codes.sort()).toEqual(['oas3-valid-media-example', 'operation-description']);
    },
    LIMIT_MS,
  );
});
