// What the database knows of the instance's keys: the SHA-256 of each file, so that one that is gone or
// altered is noticed, and none is made in its place without a word.
import { createHash, createPrivateKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inArray, like } from 'drizzle-orm';
import type { Faults } from '../../faults.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../database.ts';
import { credentials } from '../tables/agents.ts';
import { instance, projects } from '../tables/projects.ts';

export type KeyKind = 'sign' | 'seal' | 'bundle';

export type KeyRecord = Awaited<ReturnType<typeof openKeyRecord>>;

export const NO_RECORD: Pick<KeyRecord, 'mayMake' | 'isIntact'> = {
  mayMake: () => true,
  isIntact: (kind, _, bytes) => isGoodKey(kind, bytes, undefined),
};

export const KEY_RECORD_PREFIX = 'key:';
const NAME = /^(?:(sign|seal)-[0-9a-z]{1,32}\.key|(bundle)\.ed25519)$/;

const KINDS: Record<KeyKind, { check: string; effect: string; rotate: string }> = {
  sign: { check: 'keys:signing', effect: 'links to files that it signed fail', rotate: 'signing' },
  seal: { check: 'keys:sealing', effect: 'credentials that it sealed fail', rotate: 'sealing' },
  bundle: { check: 'keys:bundle', effect: 'no bundle can be signed', rotate: 'bundle' },
};

interface RecordOptions {
  database: Database;
  folder: string;
  faults: Faults;
  log: Log;
}

export async function openKeyRecord({ database, folder, faults, log }: RecordOptions) {
  const rows = await database.read
    .select()
    .from(instance)
    .where(like(instance.name, `${KEY_RECORD_PREFIX}%`));
  const known = new Map(
    rows.map(({ name, value }) => [name.slice(KEY_RECORD_PREFIX.length), value]),
  );
  // A folder of a version that recorded no keys.
  const [project] = await database.read.select({ id: projects.id }).from(projects).limit(1);
  const [sealed] = await database.read.select({ seq: credentials.seq }).from(credentials).limit(1);
  const isUsed = { sign: project !== undefined, seal: sealed !== undefined, bundle: false };
  const knownOf = (kind: KeyKind) => [...known.keys()].filter((name) => kindOf(name) === kind);

  function isIntact(kind: KeyKind, name: string, bytes: Uint8Array): boolean {
    return isGoodKey(kind, bytes, known.get(name));
  }

  /** The keys of a kind that are there and good, with their hashes, and those that are not. */
  async function compare(kind: KeyKind): Promise<{ good: Map<string, string>; lost: string[] }> {
    const names = await readdir(folder).catch(() => []);
    const there = names.filter((name) => kindOf(name) === kind);
    const good = new Map<string, string>();
    for (const name of there) {
      const bytes = await readFile(join(folder, name)).catch(() => new Uint8Array());
      if (isIntact(kind, name, bytes)) good.set(name, sha256(bytes));
    }
    const lost = knownOf(kind).filter((name) => !good.has(name));
    if (good.size > 0 || lost.length > 0) return { good, lost: lost.sort() };
    return { good, lost: there.length === 0 && isUsed[kind] ? [`${kind}-*.key`] : there.sort() };
  }

  async function write(good: Map<string, string>, without: string[] = []): Promise<void> {
    const added = [...good].filter(([name]) => !known.has(name));
    if (added.length + without.length === 0) return;
    const rowNames = without.map((name) => KEY_RECORD_PREFIX + name);
    await database.write(async (db) => {
      await db.delete(instance).where(inArray(instance.name, rowNames));
      for (const [name, value] of added) {
        const row = { name: KEY_RECORD_PREFIX + name, value };
        await db
          .insert(instance)
          .values(row)
          .onConflictDoUpdate({ target: instance.name, set: row });
      }
    });
    for (const name of without) known.delete(name);
    for (const [name, hash] of added) known.set(name, hash);
  }

  return {
    /** Whether the instance has never had a key of the kind: only then one is made when it is needed. */
    mayMake: (kind: KeyKind): boolean => knownOf(kind).length === 0 && !isUsed[kind],
    /** Whether a file holds a key, and the one that it has always held. */
    isIntact,
    /** Reports the keys that are missing or damaged, and records those that are new. */
    async check(): Promise<void> {
      for (const kind of ['sign', 'seal', 'bundle'] as const) {
        const { good, lost } = await compare(kind);
        const { check, effect, rotate } = KINDS[kind];
        if (lost.length > 0) {
          // A newer one means that somebody knows.
          const isReplaced = [...good.keys()].some((name) => name > (lost.at(-1) ?? ''));
          const output = `missing or damaged: ${lost.join(', ')}: ${effect}; put it back, or run pqrs keys rotate ${rotate}`;
          faults.report(check, { status: isReplaced ? 'warn' : 'fail', output });
          log.error({ keys: lost }, `keys are missing or damaged: ${effect}`);
        }
        await write(good);
      }
    },
    /** Before keys are removed that nothing needs any more. */
    forget: (names: string[]): Promise<void> => write(new Map(), names),
    /** After a rotation: the keys of a kind that are there now are those that the instance has. */
    async accept(kind: KeyKind): Promise<void> {
      const before = knownOf(kind);
      // What was replaced in its place is compared with nothing.
      for (const name of before) known.delete(name);
      const { good } = await compare(kind);
      await write(
        good,
        before.filter((name) => !good.has(name)),
      );
      faults.clear(KINDS[kind].check);
    },
  };
}

/** Undefined where a file holds no key. */
export function kindOf(name: string): KeyKind | undefined {
  const [, symmetric, bundle] = NAME.exec(name) ?? [];
  return (symmetric ?? bundle) as KeyKind | undefined;
}

/** @param recorded - the SHA-256 that the file had; undefined where it was not recorded */
export function isGoodKey(kind: KeyKind, bytes: Uint8Array, recorded: string | undefined): boolean {
  // The key of bundles is replaced in its place by a rotation, which may have been killed then.
  if (kind !== 'bundle')
    return bytes.byteLength === 32 && (recorded === undefined || recorded === sha256(bytes));
  try {
    return createPrivateKey(Buffer.from(bytes)).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
