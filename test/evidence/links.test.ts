// Signed links to files: what opens one, and that nothing else does.
import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  createLinkMint,
  hmacSha256,
  type LinkClaims,
  linkPath,
  verifyLink,
} from '../../src/evidence/attachments/links.ts';
import type { SigningKeys } from '../../src/store/keys/key-files.ts';

const key1 = new Uint8Array(32).fill(1);
const key2 = new Uint8Array(32).fill(2);
const keys: SigningKeys = {
  current: { kid: 'k1', key: key1 },
  all: new Map([
    ['k1', key1],
    ['k2', key2],
  ]),
};
const NOW = 1_800_000_000;
const claims: LinkClaims = {
  projectId: 'prj_1',
  key: 'abc123',
  tokenId: 'tok_1',
  expires: NOW + 900,
};
const file = { projectId: 'prj_1', key: 'abc123' };
const query = (over: Partial<LinkClaims> = {}, with_ = keys) =>
  linkPath(with_, { ...claims, ...over }).split('?')[1]!;

describe('a link [PQRS-62]', () => {
  test('has the documented form', () => {
    expect(linkPath(keys, claims)).toMatch(
      /^\/api\/files\/abc123\?expires=1800000900&by=tok_1&kid=k1&signature=[A-Za-z0-9_-]{43}$/,
    );
  });

  test('opens its file until its time', () => {
    expect(verifyLink(keys, query(), file, NOW)).toEqual({ ok: true, tokenId: 'tok_1' });
    expect(verifyLink(keys, query(), file, NOW + 899).ok).toBe(true);
  });

  test('keeps verifying under an older key, and not when that key is gone', () => {
    const rotated = { ...keys, current: { kid: 'k2', key: key2 } };
    expect(verifyLink(rotated, query(), file, NOW).ok).toBe(true);
    expect(verifyLink(rotated, query({}, rotated), file, NOW).ok).toBe(true);
    const dropped = { current: rotated.current, all: new Map([['k2', key2]]) };
    expect(verifyLink(dropped, query(), file, NOW)).toEqual(refused('signature_invalid'));
  });

  test('is told to have expired only when its signature is right', () => {
    expect(verifyLink(keys, query(), file, NOW + 900)).toEqual(refused('signature_expired'));
    const forged = query().replace(/signature=.*/, `signature=${'A'.repeat(43)}`);
    expect(verifyLink(keys, forged, file, NOW + 900)).toEqual(refused('signature_invalid'));
  });
});

function refused(reason: 'signature_required' | 'signature_invalid' | 'signature_expired') {
  return { ok: false, reason } as const;
}

describe('a query [PQRS-62]', () => {
  test.each(['', 'expires=1800000900&by=tok_1&kid=k1', 'download=1', 'xsignature=1'])(
    'without a signature: %p',
    (text) => {
      expect(verifyLink(keys, text, file, NOW)).toEqual(refused('signature_required'));
    },
  );

  const good = query();
  test.each([
    ['another parameter', `${good}&x=1`],
    ['a repeated parameter', `${good}&by=tok_1`],
    ['a repeated signature', `${good}&${good.slice(good.indexOf('signature='))}`],
    ['an explicit inline', `${good}&disposition=inline`],
    ['an added disposition', `${good}&disposition=attachment`],
    ['an empty disposition', `${good}&disposition=`],
    ['no expiry', good.replace(/expires=\d+&/, '')],
    ['no token', good.replace('by=tok_1&', '')],
    ['no key id', good.replace('kid=k1&', '')],
    ['an unknown key id', good.replace('kid=k1', 'kid=k9')],
    ['another known key id', good.replace('kid=k1', 'kid=k2')],
    ['a key id that is a property', good.replace('kid=k1', 'kid=__proto__')],
    ['a later expiry', good.replace('expires=1800000900', 'expires=1800001200')],
    ['a padded expiry', good.replace('expires=', 'expires=0')],
    ['a signed expiry', good.replace('expires=', 'expires=+')],
    ['a fractional expiry', good.replace('1800000900', '1800000900.0')],
    ['an exponent', good.replace('1800000900', '18000009e2')],
    ['a padded signature', `${good}=`],
    ['a short signature', good.slice(0, -1)],
    ['a long signature', `${good}A`],
    ['an empty signature', good.replace(/signature=.*/, 'signature=')],
    ['percent-encoding', good.replace('by=tok_1', 'by=tok%5F1')],
    ['an encoded name', good.replace('by=', 'b%79=')],
    ['white space', good.replace('by=', 'by=+')],
    ['a name in capitals', good.replace('by=', 'BY=')],
    ['an empty pair', `${good}&`],
    ['a question mark', `?${good}`],
    ['another order', good.replace(/^(expires=\d+)&(by=tok_1)/, '$2&$1')],
  ])('with %s', (_, text) => {
    expect(verifyLink(keys, text, file, NOW)).toEqual(refused('signature_invalid'));
  });

  test('for another file or project', () => {
    for (const other of [
      { ...file, key: 'abc124' },
      { ...file, projectId: 'prj_2' },
      { projectId: 'prj_1abc', key: '123' },
    ]) {
      expect(verifyLink(keys, good, other, NOW)).toEqual(refused('signature_invalid'));
    }
  });

  test('whose key id was changed to another of the same key', () => {
    const twins = { ...keys, all: new Map([...keys.all, ['k2', key1]]) };
    const moved = good.replace('kid=k1', 'kid=k2');
    expect(verifyLink(twins, moved, file, NOW)).toEqual(refused('signature_invalid'));
  });

  test('with any character of it changed', () => {
    const alphabet = 'ABCXYZabcxyz0189_-&=%+. ';
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(alphabet.length - 1), (at, pick) => {
        const char = alphabet[pick]!;
        fc.pre(char !== good[at]);
        const changed = good.slice(0, at) + char + good.slice(at + 1);
        expect(verifyLink(keys, changed, file, NOW).ok).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  test('with any bit of the signature changed, its spare bits included', () => {
    const signature = good.slice(-43);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < 43; at++) {
      for (let bit = 1; bit < 64; bit *= 2) {
        const char = alphabet[alphabet.indexOf(signature[at]!) ^ bit]!;
        const changed =
          good.slice(0, -43) + signature.slice(0, at) + char + signature.slice(at + 1);
        expect(verifyLink(keys, changed, file, NOW)).toEqual(refused('signature_invalid'));
      }
    }
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(verifyLink(keys, `signature=${text}`, file, NOW).ok).toBe(false);
      }),
    );
  });
});

test('different claims never share a signature [PQRS-62]', () => {
  const part = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\\', '[', '1', '\0'),
    maxLength: 6,
  });
  const some = fc.record({
    projectId: part,
    key: part,
    tokenId: part,
    expires: fc.nat(3),
  });
  fc.assert(
    fc.property(some, some, (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      expect(linkPath(keys, a).slice(-43) === linkPath(keys, b).slice(-43)).toBe(same);
    }),
    { numRuns: 2000 },
  );
});

test('a signature is what any HMAC-SHA-256 makes of the same key and text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: 'binary' }), (key, text) => {
      const expected = createHmac('sha256', key).update(text).digest('base64url');
      expect(hmacSha256(key, text)).toBe(expected);
      expect(hmacSha256(key, text)).toBe(expected);
    }),
  );
});

test.each([
  [0, undefined, 900],
  [1, undefined, 1200],
  [299, undefined, 1200],
  [300, undefined, 1200],
  [301, undefined, 1500],
  [NOW, 60, NOW + 300],
  [NOW + 10, 7 * 24 * 3600, NOW + 7 * 24 * 3600 + 300],
])('a link minted at %p for %p seconds ends at %p', (now, ttl, expected) => {
  const { urlOf } = createLinkMint(keys, claims, now * 1000, ttl);
  expect(urlOf(file)).toContain(`?expires=${expected}&`);
});
