// What a user types, as an FTS5 query: words and phrases, and never an operator of its own.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import Database from 'libsql';
import { matchExpression, textMatcher } from '../../src/store/search-terms.ts';

const expression = (q: string) => matchExpression(q, 'title description', [['p1']]);

describe('a search [PQRS-58]', () => {
  for (const [q, match] of [
    ['pay', 'scope:(p1) AND {title description}:("pay")'],
    ['pay button', 'scope:(p1) AND {title description}:("pay" AND "button")'],
    ['pay*', 'scope:(p1) AND {title description}:("pay" *)'],
    ['"pay button" x', 'scope:(p1) AND {title description}:("pay button" AND "x")'],
    ['"pay button', 'scope:(p1) AND {title description}:("pay button")'],
    ['a OR b', 'scope:(p1) AND {title description}:("a" AND "OR" AND "b")'],
    ['title:a', 'scope:(p1) AND {title description}:("title:a")'],
    ['- * a', 'scope:(p1) AND {title description}:("a")'],
  ] as const) {
    test(`for ${q}`, () => expect(expression(q)).toBe(match));
  }

  test('for no word at all is none', () => {
    for (const q of ['', ' ', '*', '"', '""', '- + ( )', '" "', '…'])
      expect(expression(q)).toBeUndefined();
  });
});

describe('the database', () => {
  const database = new Database(':memory:');
  database.exec(
    `create virtual table t using fts5 (title, description, scope, content = '', contentless_delete = 1, prefix = '2', tokenize = 'unicode61 remove_diacritics 2')`,
  );
  const insert = database.prepare(
    'insert into t (rowid, title, description, scope) values (?, ?, ?, ?)',
  );
  insert.run([1, 'the pay button hangs', 'after a click', 'p1 original']);
  insert.run([2, 'the pay button hangs', 'after a click', 'p2 original']);
  const select = database.prepare('select rowid from t where t match ?');
  const found = (q: string): number[] => {
    const match = expression(q);
    return match === undefined
      ? []
      : (select.all([match]) as { rowid: number }[]).map((row) => row.rowid);
  };

  afterAll(() => database.close());

  test('understands it, whatever was typed, and never leaves the scope', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }),
          fc
            .array(
              fc.constantFrom(
                '"',
                '*',
                ' ',
                'AND',
                'OR',
                'NOT',
                'NEAR',
                '(',
                ')',
                '{',
                '}',
                ':',
                '^',
                '-',
                '+',
                ',',
                'pay',
                'scope',
                'p2',
                'title',
              ),
            )
            .map((parts) => parts.join('')),
        ),
        (q) => {
          fc.pre(!q.includes('\0'));
          expect(found(q)).not.toContain(2);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('finds words, phrases and beginnings', () => {
    expect(found('PAY click')).toEqual([1]);
    expect(found('"pay button"')).toEqual([1]);
    expect(found('"button pay"')).toEqual([]);
    expect(found('butt* clic*')).toEqual([1]);
    expect(found('butt')).toEqual([]);
    expect(found('original')).toEqual([]);
    expect(found('scope:p2')).toEqual([]);
  });

  test('finds what a matcher of texts finds', () => {
    const word = fc.constantFrom(
      'pay',
      'Páy',
      'PAYS',
      'x-y',
      'x',
      'y',
      '4.2',
      '支付',
      'straße',
      '_',
      '…',
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const q = fc
      .array(
        fc.tuple(fc.constantFrom('', '"'), fc.oneof(word, text), fc.constantFrom('', '"', '*')),
      )
      .map((parts) => parts.map((part) => part.join('')).join(' '));
    fc.assert(
      fc.property(text, text, q, (title, description, q) => {
        database.exec('delete from t where rowid = 3');
        insert.run([3, title, description, 'p1']);
        expect(textMatcher(q)?.([title, description]) ?? false).toBe(found(q).includes(3));
      }),
      { numRuns: 1000 },
    );
  });
});
