// What ends with the whole run of tests, not with the file that began it.
import { afterAll } from 'bun:test';

const ends: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const end of ends) await end();
});

/** Has something ended after the last test file of this run. */
export function atEnd(end: () => Promise<void>): void {
  ends.push(end);
}
