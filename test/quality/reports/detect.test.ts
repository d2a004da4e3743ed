// Telling the format of a report by its media type and its first bytes.
import { expect, test } from 'bun:test';
import { detectFormat, formatOfBytes } from '../../../src/quality/reports/model.ts';
import { FIXTURES, fixture, readAll } from './read-all.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['application/xml', 'junit'],
  ['text/xml; charset=utf-8', 'junit'],
  ['Application/XML', 'junit'],
  ['application/vnd.ctrf+json', 'ctrf'],
  ['application/json', 'json'],
  ['text/tap', 'tap'],
  ['application/x+xml', 'junit'],
  ['application/octet-stream', undefined],
  ['text/plain', undefined],
])('%s', (type, format) => {
  expect(detectFormat(type, bytes('nothing'))).toBe(format as 'junit');
});

test.each([
  ['<?xml', 'junit'],
  ['\uFEFF \n<testsuite', 'junit'],
  ['  {"results"', 'json'],
  ['TAP version 14\n', 'tap'],
  ['1..4\n', 'tap'],
  ['# a comment\nnot ok 1\n', 'tap'],
  ['Bail out!', 'tap'],
  ['output of the tests\nok 1 - x\n', 'tap'],
  ['[]', undefined],
  ['hello', undefined],
  ['', undefined],
])('%j', (text, format) => {
  expect(formatOfBytes(bytes(text))).toBe(format as 'junit');
  expect(detectFormat(undefined, bytes(text))).toBe(format as 'junit');
});

test('UTF-16', () => {
  const wide = new Uint8Array(Buffer.from('\uFEFF<testsuite/>', 'utf16le'));
  expect(formatOfBytes(wide)).toBe('junit');
});

test('every report of our own is shown by its bytes', async () => {
  const formats = await Promise.all(
    FIXTURES.map(async (name) => (await readAll(fixture(name))).summary.format),
  );
  expect(formats).toEqual(['junit', 'junit', 'junit', 'ctrf', 'pqrs', 'tap', 'tap']);
});

test('what is none, and nothing at all', async () => {
  expect((await readAll('hello')).codes).toEqual(['not_a_report']);
  expect((await readAll('')).codes).toEqual(['cut_off']);
  expect((await readAll('', { format: 'junit' })).codes).toEqual(['cut_off', 'not_a_report']);
  expect((await readAll('hello', { format: 'tap' })).codes).toEqual(['not_a_report']);
  expect((await readAll('hello', { mediaType: 'application/json' })).codes).toEqual([
    'not_well_formed',
  ]);
});
