// Rotation of the keys of an instance. What was signed or sealed before lives on: links until they
// end, credentials sealed anew, bundles by the public key that they name.
import { join, resolve } from 'node:path';
import { eq } from 'drizzle-orm';
import { sealedFor } from '../agents/credentials.ts';
import { LINK_TTL_MAX_SECONDS } from '../evidence/attachments/links.ts';
import { COMMAND_LINE, recordAudit } from '../evidence/logs/entries.ts';
import type { Services } from '../services.ts';
import { keyedLock } from '../store/client/keyed-lock.ts';
import type { Database } from '../store/database.ts';
import { earlierBundleKeys, rotateBundleKey } from '../store/keys/bundle-key.ts';
import { addKey, keyMadeAt, removeKey } from '../store/keys/key-files.ts';
import { kidOfSealed, SealBroken, type Sealing } from '../store/keys/sealing-key.ts';
import { credentials } from '../store/tables/agents.ts';

export type KeyKind = 'signing' | 'sealing' | 'bundle';

export interface Rotation {
  kind: KeyKind;
  /** The id of the new key; the public key of bundles. */
  key: string;
  /** Earlier keys, in the same form, that what they signed or sealed is still known by. */
  earlier: string[];
  removed: string[];
  resealed: number;
  /** Credentials that no key opens; they stay as they are. */
  unreadable: number;
}

const KIND_OF_FILES = { signing: 'sign', sealing: 'seal', bundle: 'bundle' } as const;

const LINKS_END_MS = (LINK_TTL_MAX_SECONDS + 3600) * 1000;

const oneAtATime = keyedLock();

/** Makes a new key and puts it in use, at once. A rotation that was broken off is done again. */
export function rotateKey(services: Services, kind: KeyKind): Promise<Rotation> {
  return oneAtATime('rotation', async () => {
    const folder = join(resolve(services.config.dataDir), 'keys');
    const rotation = { kind, ...(await ROTATE[kind](services, folder)) };
    const { key, removed } = rotation;
    await services.keyRecord.accept(KIND_OF_FILES[kind]);
    const event = { action: 'key.rotated', actor: COMMAND_LINE, now: services.clock() } as const;
    await services.database.write((db) =>
      recordAudit(db, { ...event, projectId: null, fields: { kind, key, removed } }),
    );
    return rotation;
  });
}

type Rotate = (services: Services, folder: string) => Promise<Omit<Rotation, 'kind'>>;

const ROTATE: Record<KeyKind, Rotate> = {
  async signing({ signingKeys, keyRecord, clock }, folder) {
    const key = await addKey(folder, 'sign', clock());
    await signingKeys.reload();
    const ids = [...signingKeys.all.keys()];
    // A key signed its last link when the next one was made.
    const removed = ids.filter((_, at) => {
      const next = ids[at + 1];
      return next !== undefined && keyMadeAt(next) + LINKS_END_MS < clock();
    });
    await keyRecord.forget(removed.map((kid) => `sign-${kid}.key`));
    for (const kid of removed) await removeKey(folder, 'sign', kid);
    await signingKeys.reload();
    const earlier = [...signingKeys.all.keys()].slice(0, -1);
    return { key, earlier, removed, resealed: 0, unreadable: 0 };
  },
  async sealing({ sealing: open, keyRecord, database }, folder) {
    const sealing = await open();
    const before = [...sealing.kids];
    const key = await addKey(folder, 'seal');
    await sealing.reload();
    const { resealed, unreadable } = await sealAnew(database, sealing);
    const removed = before.filter((kid) => !unreadable.includes(kid));
    await keyRecord.forget(removed.map((kid) => `seal-${kid}.key`));
    for (const kid of removed) await removeKey(folder, 'seal', kid);
    await sealing.reload();
    const earlier = sealing.kids.slice(0, -1);
    return { key, earlier, removed, resealed, unreadable: unreadable.length };
  },
  async bundle(_, folder) {
    const { publicText: key } = await rotateBundleKey(folder);
    const earlier = await earlierBundleKeys(folder);
    return { key, earlier, removed: [], resealed: 0, unreadable: 0 };
  },
};

/** Seals every credential under the newest key; gives the ids of the keys of those that do not open. */
function sealAnew(database: Database, sealing: Sealing) {
  return database.write(async (db) => {
    const unreadable: string[] = [];
    let resealed = 0;
    for (const row of await db.select().from(credentials)) {
      if (kidOfSealed(row.sealed) === sealing.kids.at(-1)) continue;
      try {
        const place = sealedFor(row);
        const sealed = sealing.seal(sealing.unseal(row.sealed, place), place);
        await db.update(credentials).set({ sealed }).where(eq(credentials.seq, row.seq));
        resealed += 1;
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        unreadable.push(kidOfSealed(row.sealed));
      }
    }
    return { resealed, unreadable };
  });
}
