// Who said first what a verdict says again.
import { expect, test } from 'bun:test';
import { firstSaidBy } from '../../src/assurance/validation/first-said.ts';

const said = (seq: number, byKind: string, from: string | null = null) => ({
  ...{ id: `val_${seq}`, seq, byKind, transferredFrom: from },
});

test('what the service said is its own, whoever carried it and whatever the story is called [PQRS-37]', () => {
  const first = said(1, 'system');
  const carried = said(2, 'person', 'val_1');
  const again = said(3, 'person', 'val_2');
  const verdictsOf = new Map([
    ['A', [first, carried]],
    ['RENAMED', [again]],
  ]);
  expect(firstSaidBy(verdictsOf, first)).toBe('system');
  expect(firstSaidBy(verdictsOf, carried)).toBe('system');
  expect(firstSaidBy(verdictsOf, again)).toBe('system');
});

test('what a person said, or took from elsewhere, is theirs [PQRS-37]', () => {
  const own = said(1, 'person');
  const carried = said(2, 'person', 'val_1');
  const taken = said(3, 'person', 'val_of_another_instance');
  // An instance's own numbers rise: one that names a later one is from elsewhere too.
  const strange = said(4, 'person', 'val_5');
  const later = said(5, 'system', 'val_4');
  const verdictsOf = new Map([['A', [own, carried, taken, strange, later]]]);
  for (const one of [own, carried, taken, strange])
    expect(firstSaidBy(verdictsOf, one)).toBe('person');
});

test('a verdict carried thousands of times is followed once, whoever asks first [PQRS-37]', () => {
  const many = 50_000;
  const chain = Array.from({ length: many }, (_, at) =>
    said(at + 1, at === 0 ? 'system' : 'person', at === 0 ? null : `val_${at}`),
  );
  const ask = (order: typeof chain) => {
    const verdictsOf = new Map(chain.map((one): [string, typeof chain] => [one.id, [one]]));
    return new Set(order.map((one) => firstSaidBy(verdictsOf, one)));
  };
  const began = performance.now();
  expect([...ask(chain)]).toEqual(['system']);
  expect([...ask(chain.toReversed())]).toEqual(['system']);
  expect(performance.now() - began).toBeLessThan(2000);
});
