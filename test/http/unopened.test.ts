// The stand-in for services that nobody opens.
import { expect, test } from 'bun:test';
import { unopened } from '../../src/http/api/unopened.ts';

interface Services {
  database: { read: { select(): unknown } };
  clock(): number;
}

test('can be taken apart, however deep', () => {
  const { database } = unopened<Services>();
  expect(database.read.select).toBeFunction();
});

test('refuses every call', () => {
  const services = unopened<Services>();
  expect(() => services.clock()).toThrow('no services');
  expect(() => services.database.read.select()).toThrow('no services');
});
