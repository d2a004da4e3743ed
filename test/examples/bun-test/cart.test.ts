import { expect, test } from 'bun:test';
import { total } from './cart.ts';

test('adds up what is in the cart [CART-1]', () => {
  expect(total([{ price: 250, count: 2 }, { price: 100, count: 1 }])).toBe(600);
});

test('charges nothing for an empty cart [CART-2]', () => {
  expect(total([])).toBe(0);
});
