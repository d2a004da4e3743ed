// What a command says when it is refused.
import { expect, test } from 'bun:test';
import { refusalText } from '../../src/cli/refusal.ts';
import { invalid } from '../../src/errors.ts';
import { invalidFields } from '../../src/model/validate.ts';

test('errors that the sentence does not name have a line each', () => {
  expect(refusalText(invalid('/slug', 'is taken'))).toBe('/slug: is taken');
  const fields = [
    { pointer: '/slug', detail: 'is required' },
    { pointer: '/name', detail: 'must have at least 1 characters' },
  ];
  expect(refusalText(invalidFields(fields))).toBe(
    '/slug: is required (and 1 more)\n  /name: must have at least 1 characters',
  );
  const errors = ['a.json:1: No.', 'b.json:2: \u001b[2JNo\n\nmore.'].map((detail) => ({
    ...{ pointer: '/sources', detail },
  }));
  expect(refusalText({ message: 'Refused.', errors })).toBe(
    'Refused.\n  a.json:1: No.\n  b.json:2: [2JNo more.',
  );
});

test('they are as many and as long as a person reads', () => {
  const errors = Array.from({ length: 50 }, (_, at) => ({
    ...{ pointer: '/sources', detail: `${at} ${'x'.repeat(5000)}` },
  }));
  const lines = refusalText({ message: 'Refused.', errors }).split('\n');
  expect(lines).toHaveLength(22);
  expect(lines[21]).toBe('  and more');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(310);
});
