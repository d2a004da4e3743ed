// Idempotency keys (draft-ietf-httpapi-idempotency-key-header): the first success of a request is
// kept in the transaction of its effect, sealed under the caller's own secret, and replayed.
import { createHash, createHmac } from 'node:crypto';
import { and, eq, lt } from 'drizzle-orm';
import { secretKey } from '../../access/tokens.ts';
import { invalid, Problem } from '../../errors.ts';
import { IDEMPOTENCY_MS } from '../../limits.ts';
import type { Database, Db } from '../../store/database.ts';
import { decrypt, encrypt } from '../../store/keys/sealing-key.ts';
import { idempotencyKeys } from '../../store/tables/projects.ts';
import type { Reply } from './reply.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;
const underWay = new Set<string>();

export type KeyedRequest = NonNullable<ReturnType<typeof beginKeyed>>;

/** @throws Problem `invalid` for a bad key, `conflict` while the first request is under way */
export function beginKeyed(
  database: Database,
  request: Request,
  tokenId: string,
  path: string,
  now: number,
) {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!KEY.test(key)) {
    const detail = 'must be 1 to 255 printable ASCII characters';
    throw invalid('/Idempotency-Key', detail);
  }
  const scope = createHash('sha256')
    .update(JSON.stringify([tokenId, request.method, path]))
    .digest('base64url');
  const name = `${scope} ${key}`;
  if (underWay.has(name)) {
    const detail = 'The first request with this idempotency key is still under way.';
    throw new Problem('conflict', detail, { headers: { 'Retry-After': '1' } });
  }
  underWay.add(name);
  const sealing = secretKey(request.headers.get('authorization') ?? '', 'idempotency');
  // A body may hold secrets: who reads the database must not be able to try them out on its hash.
  const keptHash = (hash: string) => createHmac('sha256', sealing).update(hash).digest('base64url');
  return {
    /** The reply that was given before to the same request. */
    async replay(requestHash: string): Promise<Reply | undefined> {
      const [row] = await database.read
        .select()
        .from(idempotencyKeys)
        .where(and(eq(idempotencyKeys.scope, scope), eq(idempotencyKeys.key, key)));
      if (!row || row.createdAt <= now - IDEMPOTENCY_MS) return undefined;
      if (row.requestHash !== keptHash(requestHash)) {
        const detail = 'This idempotency key was used with another request.';
        throw new Problem('idempotency_mismatch', detail);
      }
      const reply = JSON.parse(decrypt(sealing, row.sealed)) as Reply;
      return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } };
    },
    /** Keeps a reply, inside the write that it answers. */
    async keep(db: Db, requestHash: string, reply: Reply, at: number): Promise<void> {
      const sealed = encrypt(sealing, JSON.stringify(reply));
      const values = { requestHash: keptHash(requestHash), sealed, createdAt: at };
      await db
        .insert(idempotencyKeys)
        .values({ scope, key, ...values })
        .onConflictDoUpdate({ target: [idempotencyKeys.scope, idempotencyKeys.key], set: values });
    },
    /** Must be called when the request has ended, however it did. */
    done(): void {
      underWay.delete(name);
    },
  };
}

/** Takes away what was kept for longer than promised. */
export async function forgetOldKeys(database: Database, now: number): Promise<void> {
  await database.write(async (db) => {
    await db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, now - IDEMPOTENCY_MS));
  });
}

/** The hash by which two bodies are the same request. */
export function requestHash(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}
