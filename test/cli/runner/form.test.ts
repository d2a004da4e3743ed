// Forms as clients send them: what the service's own reader finds in them, and that they are as long as
// they say.
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createForm, type FormPart } from '../../../src/cli/runner/form.ts';
import { MULTIPART_LIMITS, readMultipart } from '../../../src/http/files/multipart.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk.slice());
  return Buffer.concat(all);
}

async function readBack(parts: FormPart[]) {
  const form = createForm('pqrs-boundary', parts);
  const body = await bytesOf(form.stream());
  expect(body.length).toBe(form.bytes);
  // A second try sends the same bytes.
  expect((await bytesOf(form.stream())).equals(body)).toBe(true);
  const found: { name: string; fileName?: string; mediaType?: string; text: string }[] = [];
  const limits = { ...MULTIPART_LIMITS, totalBytes: 1e8 };
  async function* source() {
    yield body;
  }
  for await (const part of readMultipart(source(), form.mediaType, limits)) {
    const text = part.kind === 'field' ? part.value : (await bytesOf(part.chunks)).toString('utf8');
    found.push({
      name: part.name,
      ...('fileName' in part && part.fileName !== undefined ? { fileName: part.fileName } : {}),
      ...(part.mediaType === undefined ? {} : { mediaType: part.mediaType }),
      text,
    });
  }
  return found;
}

describe('a form', () => {
  test('holds values, bytes and files', async () => {
    const path = join(temporaryFolder('form'), 'r.xml');
    writeFileSync(path, '<testsuites/>');
    const mediaType = 'application/xml';
    const read = await readBack([
      { name: 'run', value: '{"name":"nächtlich"}' },
      { name: 'report', fileName: 'r.xml', mediaType, path, size: 13 },
      { name: 'file', fileName: 'empty', mediaType: 'text/plain', bytes: new Uint8Array() },
    ]);
    expect(read).toEqual([
      { name: 'run', text: '{"name":"nächtlich"}' },
      { name: 'report', fileName: 'r.xml', mediaType, text: '<testsuites/>' },
      { name: 'file', fileName: 'empty', mediaType: 'text/plain', text: '' },
    ]);
  });

  test('gives every file name back that has no control characters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
          .filter((name) => !/[\u0000-\u001f\u007f]|%22/.test(name)),
        async (fileName) => {
          const mediaType = 'text/plain';
          const [read] = await readBack([
            { name: 'file', fileName, mediaType, bytes: Buffer.from('x') },
          ]);
          expect(read?.fileName).toBe(fileName);
        },
      ),
      { examples: [['a\u2028b'], ['\u2029']] },
    );
  });

  test('says which file was changed or went while it was sent', async () => {
    const path = join(temporaryFolder('form'), 'r.xml');
    writeFileSync(path, 'short');
    const form = createForm('b', [
      { name: 'report', fileName: 'r', mediaType: 'text/xml', path, size: 100 },
    ]);
    await expect(bytesOf(form.stream())).rejects.toThrow('was changed while it was sent');
    expect(form.fault()?.message).toContain('r.xml was changed');
    const gone = createForm('b', [
      { name: 'report', fileName: 'r', mediaType: 'text/xml', path: `${path}.none`, size: 1 },
    ]);
    await bytesOf(gone.stream()).catch(() => {});
    expect(gone.fault()?.message).toContain('ENOENT');
  });
});
