// Bundles: only what a trusted key has signed is taken, and only as it was signed.
import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { canonicalJson, verifyBundle, writeBundle } from '../../src/assurance/validation/decide.ts';
import { Problem } from '../../src/errors.ts';
import { openBundleKey, readPublicKey } from '../../src/store/keys/bundle-key.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeState } from './made-state.ts';

const folder = join(temporaryFolder('bundle-key'), 'keys');
const key = await openBundleKey(folder);
const state = makeState({ stories: ['A', 'B'], verdicts: [{ storyId: 'A' }, { storyId: 'B' }] });
const bundle = writeBundle(state, 'shop', key, 1_800_000_000_000);

function codeOf(work: () => void): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'taken';
}

describe('the key of an instance', () => {
  test('is the same each time, and readable by its owner alone', async () => {
    expect((await openBundleKey(folder)).publicText).toBe(key.publicText);
    expect(statSync(join(folder, 'bundle.ed25519')).mode & 0o777).toBe(0o600);
    expect(key.publicText).toMatch(/^ed25519:[\w-]{43}$/);
  });

  test('is made once by two that come at the same time', async () => {
    const other = join(temporaryFolder('bundle-race'), 'keys');
    const made = await Promise.all([1, 2, 3].map(() => openBundleKey(other)));
    expect(new Set(made.map(({ publicText }) => publicText)).size).toBe(1);
  });

  test('is written in one way', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(readPublicKey(`${key.publicText}\n`)).toBe(key.publicText);
    for (const text of ['', 'ed25519:', 'ed25519:AAAA', 'x', pem])
      expect(readPublicKey(text)).toBeUndefined();
  });
});

describe('a bundle [PQRS-36]', () => {
  test('is taken where its key is trusted, and no other is', () => {
    expect(codeOf(() => verifyBundle(bundle, [key.publicText]))).toBe('taken');
    expect(codeOf(() => verifyBundle(bundle, []))).toBe('untrusted_key');
    const { publicKey } = generateKeyPairSync('ed25519');
    const stranger = `ed25519:${publicKey.export({ format: 'jwk' }).x}`;
    expect(codeOf(() => verifyBundle(bundle, [stranger]))).toBe('untrusted_key');
    const claimed = { ...bundle, publicKey: stranger };
    expect(codeOf(() => verifyBundle(claimed, [stranger]))).toBe('invalid');
  });

  test('is refused where any member of it is another than was signed', () => {
    const paths: (string | number)[][] = [];
    (function walk(value: unknown, path: (string | number)[]) {
      if (typeof value === 'object' && value !== null)
        for (const [name, one] of Object.entries(value)) walk(one, [...path, name]);
      else paths.push(path);
    })(bundle, []);
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const changed = structuredClone(bundle) as unknown as Record<string, unknown>;
      let at: Record<string, unknown> = changed;
      for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
      const last = path.at(-1) as string;
      at[last] = typeof at[last] === 'number' ? (at[last] as number) + 1 : `${at[last]}x`;
      if (path[0] === 'signature') at[last] = Buffer.alloc(64).toString('base64url');
      expect(
        codeOf(() => verifyBundle(changed as never, [key.publicText])),
        path.join('.'),
      ).not.toBe('taken');
    }
  });
});

test('canonical JSON is the same for members in any order, and reads back', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
      (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(object));
        expect(JSON.parse(canonicalJson(object))).toEqual({ ...object });
      },
    ),
  );
  expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: '"' })).toBe(
    '{"a":"\\"","b":[1,{"c":"é","d":null}]}',
  );
});
