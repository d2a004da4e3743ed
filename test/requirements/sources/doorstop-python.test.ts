// What Python prints, as Doorstop's stamps need it; the expectations come from CPython and PyYAML.
import { describe, expect, test } from 'bun:test';
import {
  floatText,
  plainValue,
  stringRepr,
  typedText,
} from '../../../src/requirements/sources/doorstop/python.ts';

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
