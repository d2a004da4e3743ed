// What a file is, told from its bytes, and what a browser may show.
import { describe, expect, test } from 'bun:test';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { isInlineSafe, sniffMediaType } from '../../src/http/files/media-type.ts';

const text = (value: string) => new TextEncoder().encode(value);
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(
      parts.map((p) => (typeof p === 'string' ? Buffer.from(p, 'latin1') : Buffer.from(p))),
    ),
  );

const PNG = bytes(
  [0x89],
  'PNG\r\n',
  [0x1a, 0x0a, 0, 0, 0, 13],
  'IHDR',
  [0, 0, 0, 1, 0, 0, 0, 1, 8, 6],
  [0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0],
  'IDAT',
);
const GIF = bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0, 255, 255, 255, 0, 0, 0, 0x2c]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0x10], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
const WEBP = bytes('RIFF', [0x24, 0, 0, 0], 'WEBPVP8 ', [0x18, 0, 0, 0, 0x30, 1, 0, 0x9d]);
const AVIF = bytes([0, 0, 0, 0x1c], 'ftypavif', [0, 0, 0, 0], 'avifmif1miaf');
const BMP = bytes('BM', [0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0, 0x28, 0, 0, 0]);
const MP4 = bytes([0, 0, 0, 0x20], 'ftypisom', [0, 0, 2, 0], 'isomiso2avc1mp41');
const MOV = bytes([0, 0, 0, 0x14], 'ftypqt  ', [0, 0, 2, 0], 'qt  ');
const WEBM = bytes([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x84], 'webm', [0x42, 0x87, 0x81, 4]);
const MP3 = bytes(
  'ID3',
  [4, 0, 0, 0, 0, 0, 0x0a],
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [0xff, 0xfb, 0x90, 0x64],
);
const WAV = bytes('RIFF', [0x24, 0, 0, 0], 'WAVEfmt ', [0x10, 0, 0, 0, 1, 0, 1, 0]);

function zip(name: string, content: string): Uint8Array {
  const data = deflateRawSync(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  return new Uint8Array(Buffer.concat([header, Buffer.from(name), data]));
}

describe('sniffMediaType [PQRS-61]', () => {
  test.each([
    ['png', PNG, 'image/png', true],
    ['gif', GIF, 'image/gif', true],
    ['jpeg', JPEG, 'image/jpeg', true],
    ['webp', WEBP, 'image/webp', true],
    ['avif', AVIF, 'image/avif', true],
    ['bmp', BMP, 'image/bmp', true],
    ['mp4', MP4, 'video/mp4', true],
    ['quicktime', MOV, 'video/quicktime', true],
    ['webm', WEBM, 'video/webm', true],
    ['mp3', MP3, 'audio/mpeg', true],
    ['wav', WAV, 'audio/wav', true],
    ['zip', zip('trace.network', '{}'), 'application/zip', false],
    ['gzip', new Uint8Array(gzipSync('log')), 'application/gzip', false],
    ['pdf', text('%PDF-1.7\n1 0 obj'), 'application/pdf', false],
    ['elf', bytes([0x7f], 'ELF', [2, 1, 1, 0]), 'application/x-elf', false],
    ['a NUL in text', bytes('abc\0def'), 'application/octet-stream', false],
    ['UTF-16 HTML', bytes([0xff, 0xfe], '<\0h\0t\0m\0l\0>\0'), 'application/octet-stream', false],
    ['broken UTF-8', bytes('abc', [0xc3], 'def'), 'application/octet-stream', false],
    ['nothing', new Uint8Array(0), 'text/plain', true],
    ['a coloured log', text('\x1b[31mFAIL\x1b[0m a.test.ts\n'), 'text/plain', true],
    ['a word that is a signature', text('BMW, 3 doors'), 'text/plain', true],
    ['another', text('ID3 tags were wrong'), 'text/plain', true],
    ['another', text('GIF89a is a format'), 'text/plain', true],
    ['script', text('#!/bin/sh\nrm -rf x'), 'text/plain', true],
    ['html', text('\n <!DOCTYPE HTML><p>'), 'text/html', false],
    ['html without doctype', text('<ScRiPt>alert(1)</script>'), 'text/html', false],
    ['html with a byte order mark', text('\ufeff<html>'), 'text/html', false],
    ['html after a comment', text('<!-- x --><body onload=x>'), 'text/html', false],
    ['a comment alone', text('<!-- x'), 'application/xml', false],
    ['xhtml', text('<?xml version="1.0"?><html xmlns="x">'), 'text/html', false],
    ['svg', text('<svg xmlns="http://www.w3.org/2000/svg" onload="x">'), 'image/svg+xml', false],
    [
      'svg behind a prolog',
      text('<?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg PUBLIC "x"><svg>'),
      'image/svg+xml',
      false,
    ],
    ['svg with a prefix', text('<?xml version="1.0"?><x:svg xmlns:x="y">'), 'image/svg+xml', false],
    ['xml', text('<?xml version="1.0"?><testsuites/>'), 'application/xml', false],
    ['an address', text('<a@example.org> wrote:'), 'text/plain', true],
  ] as const)('%s', async (_, head, mediaType, inline) => {
    expect(await sniffMediaType(head)).toBe(mediaType);
    expect(isInlineSafe(mediaType)).toBe(inline);
  });

  test.each([
    ['{"log":{}}', 'page.har', '', 'application/json'],
    [' [1]', 'A.JSON', '', 'application/json'],
    ['{"a":1}', 'x', 'application/problem+json; charset=utf-8', 'application/json'],
    ['{"a":1}', 'x.txt', '', 'text/plain'],
    ['not json', 'x.json', 'application/json', 'text/plain'],
    ['<testsuites/>', 'junit.xml', '', 'application/xml'],
    ['<testsuites/>', 'junit', '', 'application/xml'],
    ['<svg><script>', 'x', '', 'image/svg+xml'],
    ['<div>', 'x', '', 'application/xml'],
    ['<script>', 'x.png', 'image/png', 'text/html'],
    ['<svg>', 'x.png', 'image/png', 'image/svg+xml'],
    ['hello', 'x.png', 'image/png', 'text/plain'],
    ['hello', 'x.html', 'text/html', 'text/plain'],
  ])('%p named %p, claimed %p', async (content, name, claimed, expected) => {
    expect(await sniffMediaType(text(content), name, claimed)).toBe(expected);
  });

  test('a head may be cut within a character, a whole file may not', async () => {
    const cut = text(`${'x'.repeat(4095)}é`).subarray(0, 4096);
    expect(await sniffMediaType(cut)).toBe('text/plain');
    expect(await sniffMediaType(text('xé').subarray(0, 2))).toBe('application/octet-stream');
  });

  test('no bytes make it throw or hang, and no claim makes a type', async () => {
    const signature = fc.constantFrom(PNG, GIF, WEBP, AVIF, MP4, WEBM, MP3, new Uint8Array(0));
    await fc.assert(
      fc.asyncProperty(signature, fc.uint8Array({ maxLength: 300 }), async (start, rest) => {
        const head = new Uint8Array(Buffer.concat([start.subarray(0, rest[0] ?? 0), rest]));
        const alone = await sniffMediaType(head);
        expect(alone).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
        const claimed = await sniffMediaType(head, 'x.png', 'image/png');
        expect(claimed).toBe(alone);
      }),
      { numRuns: 500 },
    );
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000))).subarray(0, 4096);
    expect(await sniffMediaType(bomb)).toBe('application/gzip');
  });
});

test.each([
  'text/html',
  'image/svg+xml',
  'application/xhtml+xml',
  'application/pdf',
  'text/xml',
  'text/css',
  'application/javascript',
  'image/png; charset=x',
  'IMAGE/PNG',
  'audio/',
  'audio/x\r\ny',
  '',
])('%p is not shown inline', (mediaType) => {
  expect(isInlineSafe(mediaType)).toBe(false);
});
