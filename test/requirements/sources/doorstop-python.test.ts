// What Python prints, as Doorstop's stamps need it; the expectations come from CPython and PyYAML.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  floatText,
  stringRepr,
  typedText,
} from '../../../src/requirements/sources/doorstop-python.ts';
import { plainValue, readYaml } from '../../../src/requirements/sources/doorstop-yaml.ts';

describe('numbers', () => {
  test.each([
    [1, '1.0'],
    [0, '0.0'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [-96.5, '-96.5'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1.5e300, '1.5e+300'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [123456.789, '123456.789'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NaN, 'nan'],
  ])('%p prints as Python does', (value, text) => {
    expect(floatText(value)).toBe(text);
  });
});

describe('strings', () => {
  test.each([
    ['plain', "'plain'"],
    ["it's", '"it\'s"'],
    ['"it\'s"', "'\"it\\'s\"'"],
    ['a\\b\n\r\t', "'a\\\\b\\n\\r\\t'"],
    ['\x07\x7f\xa0\xad', "'\\x07\\x7f\\xa0\\xad'"],
    ['ü\u200b\u2028', "'ü\\u200b\\u2028'"],
    ['😀\u{e0001}', "'😀\\U000e0001'"],
  ])('%p is quoted as Python does', (value, text) => {
    expect(stringRepr(value)).toBe(text);
  });
});

describe('scalars without quotes', () => {
  const str = (text: string) => `\\T<class 'str'>\\V${text}`;
  const typed = (type: string, text: string) => `\\T<class '${type}'>\\V${text}`;
  test.each([
    ['', typed('NoneType', 'None')],
    ['~', typed('NoneType', 'None')],
    ['yes', typed('bool', 'True')],
    ['Off', typed('bool', 'False')],
    ['y', str('y')],
    ['tRUE', str('tRUE')],
    ['017', typed('int', '15')],
    ['089', str('089')],
    ['0x1F', typed('int', '31')],
    ['0b101', typed('int', '5')],
    ['0o17', str('0o17')],
    ['+1_000', typed('int', '1000')],
    ['1:30', typed('int', '90')],
    ['-1:30:00', typed('int', '-5400')],
    ['123456789012345678901234567890', typed('int', '123456789012345678901234567890')],
    ['1.10', typed('float', '1.1')],
    ['1.', typed('float', '1.0')],
    ['.5', typed('float', '0.5')],
    ['1e3', str('1e3')],
    ['1.0e+3', typed('float', '1000.0')],
    ['-.inf', typed('float', '-inf')],
    ['.NaN', typed('float', 'nan')],
    ['2024-05-01', typed('datetime.date', '2024-05-01')],
    ['2024-05-01 01:02:03.5', typed('datetime.datetime', '2024-05-01 01:02:03.500000')],
    ['2024-5-1t1:02:03Z', typed('datetime.datetime', '2024-05-01 01:02:03+00:00')],
    ['2024-05-01T01:02:03 +2', typed('datetime.datetime', '2024-05-01 01:02:03+02:00')],
    ['1.2.3', str('1.2.3')],
    ['a\\b', str('a\\\\b')],
  ])('%p have the type of YAML 1.1', (source, text) => {
    expect(typedText(plainValue(source, 1))).toBe(text);
  });
});

describe('breaks of lines that YAML has no more [PQRS-6]', () => {
  const textIn = (yaml: string) => {
    const value = readYaml(yaml).map?.entries.get('text')?.value;
    return value?.kind === 'str' ? value.text : undefined;
  };

  test.each([
    ["text: 'ls\u2028  x'\n", 'ls\u2028x'],
    ["text: 'a \u2028\t\u2029  b'\n", 'a\u2028\u2029b'],
    ["text: 'a\u0085  b'\n", 'a b'],
    ["text: 'a\u0085\u0085  b'\n", 'a\nb'],
    ["text: 'a\u2028\n  b'\n", 'a\u2028\nb'],
    ["text: 'a\n\n  b\u2028  c'\n", 'a\nb\u2028c'],
    ["text: ' a\u2029''  b  '\n", " a\u2029'  b  "],
    ["text: 'a  b'\nz: '\u2028'\n", 'a  b'],
    ['text: |\n  a\u2028  b\u2028   c\n', 'a\u2028b\u2028 c\n'],
    ['text: |2-\n\n   a\u2029  b\u0085  c\n', '\n a\u2029b\nc'],
    ['text: !!str |\n  a\u2028  b\n', 'a\u2028b\n'],
    ['text: "a\\L  b"\n', 'a\u2028  b'],
  ])('%p is what PyYAML reads', (yaml, text) => {
    expect(textIn(yaml)).toBe(text);
  });

  test('the indent after them is no text, as PyYAML writes it', () => {
    const word = fc.stringMatching(/^[a-z]([a-z ]{0,6}[a-z])?$/);
    const words = fc.array(fc.tuple(word, fc.constantFrom('\u2028', '\u2029')), { minLength: 1 });
    fc.assert(
      fc.property(words, word, (pieces, last) => {
        const written = (after: string) => pieces.map((piece) => piece.join('') + after).join('');
        const text = written('') + last;
        expect(textIn(`text: '${written('  ')}${last}'\n`)).toBe(text);
        expect(textIn(`text: |\n  ${written('  ')}${last}\n`)).toBe(`${text}\n`);
      }),
    );
  });
});
