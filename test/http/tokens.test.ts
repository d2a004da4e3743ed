// Tokens in memory: which header is good, and until when.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type KnownProject,
  openTokenRegistry,
  secretKey,
  type TokenRegistry,
} from '../../src/access/tokens.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let tokens: TokenRegistry;
let project: string;

beforeAll(async () => {
  instance = await openInstance();
  tokens = instance.evidence.tokens;
  project = (await instance.makeProject('default')).id;
});

afterAll(() => instance.close());

const make = (options: Parameters<Instance['makeToken']>[2] = {}) =>
  instance.makeToken(project, ['srs:edit'], options);
const isGood = (header: string | null, now = Date.now()) => tokens.authenticate(header, now).ok;

describe('a header [PQRS-66]', () => {
  test('is good with the scheme in any case and the token as it was given', async () => {
    const { text } = await make();
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEARER '])
      expect(isGood(`${scheme} ${text}`)).toBe(true);
    for (const header of [
      null,
      '',
      text,
      `Bearer${text}`,
      `Bearer\t${text}`,
      ` Bearer ${text}`,
      `Bearer ${text} `,
      `Basic ${text}`,
    ]) {
      expect(isGood(header)).toBe(false);
    }
  });

  test('is bad with any one character of the token changed, left out or added', async () => {
    const { text } = await make();
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.string({ minLength: 0, maxLength: 2 }),
        (at, other) => {
          const changed = text.slice(0, at) + other + text.slice(at + 1);
          // One space or more stand before a token (RFC 9110, 11.4).
          expect(isGood(`Bearer ${changed}`)).toBe(changed.replace(/^ +/, '') === text);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("with one token's id and another's secret is bad", async () => {
    const [one, two] = [await make(), await make()];
    expect(isGood(`Bearer ${one.text.slice(0, 32)}${two.text.slice(32)}`)).toBe(false);
  });
});

describe('a token [PQRS-66]', () => {
  test('is stored as the hash of its secret alone', async () => {
    const { id, text } = await make();
    const rows = await instance.evidence.database.read.all('select * from tokens');
    const stored = JSON.stringify(rows);
    expect(stored).toContain(id);
    expect(stored).not.toContain(text.slice(32));
  });

  test('that was used says when, after a flush, without a write for each use', async () => {
    const { id, text } = await make();
    isGood(`Bearer ${text}`, 1000);
    isGood(`Bearer ${text}`, 2000);
    await tokens.flush();
    const again = await openTokenRegistry(instance.evidence.database);
    expect(again.find(id)?.lastUsedAt).toBe(2000);
    expect(again.authenticate(`Bearer ${text}`, 3000).ok).toBe(true);
  });

  test('knows its project as that is now, whichever of them was known first', async () => {
    const { id } = await make();
    const other = await instance.makeProject('other');
    const known = tokens.project(project) as KnownProject;
    for (const next of [{ ...known, revision: known.revision + 1 }, known]) {
      tokens.rememberProject(next);
      expect(tokens.find(id)?.project).toBe(next);
    }
    const again = await openTokenRegistry(instance.evidence.database);
    expect(again.find(id)?.project).toMatchObject({ id: project, slug: 'default' });
    const one = tokens.list(other.id).map((token) => token.project?.slug);
    expect(one).toEqual(['other']);
  });
});

describe('the key from a secret', () => {
  test('is that of the secret and the purpose, whatever the scheme looks like', async () => {
    const [one, two] = [await make(), await make()];
    const key = secretKey(`Bearer ${one.text}`, 'a');
    expect(key.byteLength).toBe(32);
    expect(secretKey(`bearer  ${one.text}`, 'a')).toEqual(key);
    expect(secretKey(`Bearer ${one.text}`, 'b')).not.toEqual(key);
    expect(secretKey(`Bearer ${two.text}`, 'a')).not.toEqual(key);
  });
});
