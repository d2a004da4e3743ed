// Sealing: what was sealed opens where it belongs, whole, and nowhere else.
import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { KeyLost } from '../../src/store/errors.ts';
import { openSealing, SealBroken } from '../../src/store/keys/sealing-key.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const sealing = await openSealing(temporaryFolder('sealing-own'));
const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const context = fc.array(fc.string({ maxLength: 12 }), { maxLength: 4 });

describe('what is sealed [PQRS-40]', () => {
  test('opens in its place, as it was', () => {
    fc.assert(
      fc.property(text, context, (said, place) => {
        expect(sealing.unseal(sealing.seal(said, place), place)).toBe(said);
      }),
    );
  });

  test('opens in no other place', () => {
    fc.assert(
      fc.property(text, context, context, (said, place, other) => {
        fc.pre(JSON.stringify(place) !== JSON.stringify(other));
        expect(() => sealing.unseal(sealing.seal(said, place), other)).toThrow(SealBroken);
      }),
    );
  });

  test('does not open once any bit of it is another', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 0, max: 7 }), (said, at, bit) => {
        const sealed = sealing.seal(said, ['here']);
        const index = at % sealed.length;
        sealed[index] = (sealed[index] ?? 0) ^ (1 << bit);
        expect(() => sealing.unseal(sealed, ['here'])).toThrow(SealBroken);
      }),
      { numRuns: 500 },
    );
  });

  test('does not open when it is cut, or is anything else', () => {
    const sealed = sealing.seal('a secret', ['here']);
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => sealing.unseal(sealed.subarray(0, length), ['here'])).toThrow(SealBroken);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(() => sealing.unseal(bytes, ['here'])).toThrow(SealBroken);
      }),
    );
  });

  test('holds nothing of the text, and is another each time', () => {
    const secret = 'correct horse battery staple';
    const [one, other] = [sealing.seal(secret, ['here']), sealing.seal(secret, ['here'])];
    expect(one.includes('horse')).toBe(false);
    expect(one.equals(other)).toBe(false);
  });
});

describe('the sealing keys [PQRS-40]', () => {
  test('are made at first use, for their owner alone, and are the same from then on', async () => {
    const folder = join(temporaryFolder('sealing'), 'keys');
    const sealed = (await openSealing(folder)).seal('a secret', ['here']);
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^seal-[0-9a-z]+\.key$/);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, name)).length).toBe(32);
    expect((await openSealing(folder)).unseal(sealed, ['here'])).toBe('a secret');
  });

  test('the newest seals, older ones still open; without its key nothing opens', async () => {
    const folder = temporaryFolder('sealing-rotated');
    const before = (await openSealing(folder)).seal('old', ['here']);
    writeFileSync(join(folder, 'seal-zzzzzzzzz.key'), randomBytes(32), { mode: 0o600 });
    const both = await openSealing(folder);
    expect(both.unseal(before, ['here'])).toBe('old');
    const after = both.seal('new', ['here']);
    expect(after.includes('zzzzzzzzz')).toBe(true);
    expect(before.includes('zzzzzzzzz')).toBe(false);
    const stranger = await openSealing(temporaryFolder('sealing-elsewhere'));
    expect(() => stranger.unseal(before, ['here'])).toThrow(SealBroken);
  });

  test('that are damaged seal nothing, and none is made in their place', async () => {
    const folder = temporaryFolder('sealing-damaged');
    writeFileSync(join(folder, 'seal-000000001.key'), 'short');
    const damaged = await openSealing(folder);
    expect(() => damaged.seal('a', [])).toThrow(KeyLost);
    expect(() => damaged.unseal(sealing.seal('a', []), [])).toThrow(SealBroken);
    expect(readdirSync(folder)).toEqual(['seal-000000001.key']);
  });
});
