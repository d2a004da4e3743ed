// Bearer tokens, `pqrs_<id>_<secret>`: made, cached, checked, revoked. Only the SHA-256
// of a secret is stored.
import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../clock.ts';
import type { Database, Db, Tx } from '../store/database.ts';
import { newId, newSecret } from '../store/ids.ts';
import { type ProjectRow, projects, type TokenRow, tokens } from '../store/tables/projects.ts';
import type { Capability } from './access.ts';

export interface Token extends Omit<TokenRow, 'seq' | 'secretHash' | 'capabilities'> {
  /** Its project as it is known now; undefined until that is. */
  project: KnownProject | undefined;
  capabilities: ReadonlySet<Capability>;
}

/** What is known of a project without asking the database. */
export interface KnownProject {
  id: string;
  slug: string;
  /** Part of the tokens that limit a full-text search to the project. */
  seq: number;
  demo: boolean;
  quotaBytes: number | null;
  retentionDays: number | null;
  /** The number of its latest revision, 0 before the first. */
  revision: number;
}

type Authentication =
  | { ok: true; token: Token }
  /** `token` is set where a known token is refused: it was revoked, or has expired. */
  | { ok: false; token?: Token };

export interface NewToken {
  projectId: string;
  capabilities: readonly Capability[];
  label?: string | null;
  instance?: boolean;
  readOnly?: boolean;
  expiresAt?: number | null;
  /** Where its text has to be on disk before it is inserted. */
  minted?: MintedToken;
}

/** The id and the secret of a token that is nowhere stored as yet. */
export interface MintedToken {
  id: string;
  secret: string;
  /** As its holder sends it. */
  text: string;
}

export type TokenRegistry = Awaited<ReturnType<typeof openTokenRegistry>>;

const TOKEN = /^pqrs_([0-9a-hjkmnp-tv-z]{26})_([0-9a-hjkmnp-tv-z]{52})$/;
const BEARER = /^bearer +/i;
const MAX_HEADERS = 2000;

interface CachedToken extends Token {
  hash: Buffer;
  used: boolean;
}

/** Reads all tokens into memory. */
export async function openTokenRegistry(database: Database) {
  const cache = new Map<string, CachedToken>();
  const known = new Map<string, KnownProject>();
  // Headers that were found good, so that their secret is hashed once.
  const good = new Map<string, CachedToken>();
  const revoked: ((tokenId: string) => void)[] = [];

  function remember(row: TokenRow): void {
    cache.set(row.id, {
      ...tokenOf(row),
      project: known.get(row.projectId),
      hash: Buffer.from(row.secretHash, 'hex'),
      used: false,
    });
    good.clear();
  }

  function rememberProject(project: KnownProject): void {
    known.set(project.id, project);
    for (const token of cache.values()) if (token.projectId === project.id) token.project = project;
  }

  async function load(): Promise<void> {
    for (const row of await database.read.select().from(tokens)) remember(row);
    for (const row of await database.read.select().from(projects))
      rememberProject(knownProject(row));
  }

  await load();
  database.onRecovered(load);

  function check(header: string | null): CachedToken | undefined {
    const match = TOKEN.exec(header?.replace(BEARER, '') ?? '');
    if (!header || !match || !BEARER.test(header)) return undefined;
    const [, id = '', secret = ''] = match;
    const token = cache.get(`tok_${id}`);
    const hash = hashOf(secret);
    // An unknown token costs the same comparison as a known one.
    const same = timingSafeEqual(token?.hash ?? hash, hash);
    return token && same ? token : undefined;
  }

  /** Ends tokens inside the caller's write; none is good from the commit on. */
  async function end(tx: Tx, tokenIds: readonly string[], now: number): Promise<void> {
    tx.afterCommit(() => ended(tokenIds, now));
    await tx
      .update(tokens)
      .set({ revokedAt: now })
      .where(and(inArray(tokens.id, [...tokenIds]), isNull(tokens.revokedAt)));
  }

  function ended(tokenIds: readonly string[], now: number): void {
    for (const id of tokenIds) {
      const token = cache.get(id);
      if (!token || token.revokedAt !== null) continue;
      token.revokedAt = now;
      good.clear();
      for (const listener of revoked) listener(id);
    }
  }

  return {
    /** Checks an `Authorization` header. */
    authenticate(header: string | null, now: number): Authentication {
      const cached = header === null ? undefined : good.get(header);
      const token = cached ?? check(header);
      if (!token) return { ok: false };
      if (!isInForce(token, now)) return { ok: false, token };
      if (!cached && header !== null) {
        if (good.size >= MAX_HEADERS) good.clear();
        good.set(header, token);
      }
      token.lastUsedAt = now;
      token.used = true;
      return { ok: true, token };
    },
    isGood(tokenId: string, now: number): boolean {
      const token = cache.get(tokenId);
      return token !== undefined && isInForce(token, now);
    },
    find: (tokenId: string): Token | undefined => cache.get(tokenId),
    list: (projectId?: string): Token[] =>
      [...cache.values()].filter(
        (token) => projectId === undefined || token.projectId === projectId,
      ),
    project: (id: string) => known.get(id),
    projects: () => [...known.values()],
    /** Inserts a token inside the caller's write; it is good from the commit on. */
    async issue(tx: Tx, wanted: NewToken, now: number) {
      const { id, secret, text } = wanted.minted ?? mintToken();
      const [row] = await tx
        .insert(tokens)
        .values({
          id,
          projectId: wanted.projectId,
          secretHash: hashOf(secret).toString('hex'),
          capabilities: [...wanted.capabilities],
          label: wanted.label ?? null,
          instance: wanted.instance ?? false,
          readOnly: wanted.readOnly ?? false,
          expiresAt: wanted.expiresAt ?? null,
          createdAt: now,
        })
        .returning();
      if (!row) throw new Error('the token was not inserted');
      tx.afterCommit(() => remember(row));
      return { token: tokenOf(row), text, row };
    },
    rememberProject,
    end,
    /**
     * Ends a token at once; false where there is no such token.
     * @param record - puts on record what is done, inside the write that does it
     */
    async revoke(
      tokenId: string,
      now: number,
      record?: (db: Db, token: Token) => Promise<void>,
    ): Promise<boolean> {
      const token = cache.get(tokenId);
      if (!token) return false;
      if (token.revokedAt !== null) return true;
      await database.write(async (tx) => {
        await end(tx, [tokenId], now);
        await record?.(tx, token);
      });
      return true;
    },
    onRevoked: (listener: (tokenId: string) => void) => void revoked.push(listener),
    /** Writes the times of last use. */
    async flush(): Promise<void> {
      const used = [...cache.values()].filter((token) => token.used);
      if (used.length === 0) return;
      for (const token of used) token.used = false;
      await database.write(async (db) => {
        for (const { id, lastUsedAt } of used) {
          await db.update(tokens).set({ lastUsedAt }).where(eq(tokens.id, id));
        }
      });
    },
  };
}

export function tokenView(token: Token) {
  return {
    id: token.id,
    label: token.label,
    capabilities: [...token.capabilities],
    readOnly: token.readOnly,
    instance: token.instance,
    createdAt: timestamp(token.createdAt),
    expiresAt: optionalTimestamp(token.expiresAt),
    revokedAt: optionalTimestamp(token.revokedAt),
    lastUsedAt: optionalTimestamp(token.lastUsedAt),
  };
}

export function mintToken(): MintedToken {
  const id = newId('tok');
  const secret = newSecret();
  return { id, secret, text: `pqrs_${id.slice(4)}_${secret}` };
}

/**
 * A key derived from the secret of a caller's own token, which the service does not keep
 * (HKDF, RFC 5869).
 * @param header - the `Authorization` header of an authenticated request
 * @returns 32 bytes
 */
export function secretKey(header: string, purpose: string): Uint8Array {
  const secret = header.slice(header.lastIndexOf('_') + 1);
  return new Uint8Array(hkdfSync('sha256', secret, '', `pqrs ${purpose}`, 32));
}

function isInForce(token: Token, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function tokenOf(row: TokenRow): Token {
  const { seq: _seq, secretHash: _hash, capabilities, ...token } = row;
  return { ...token, capabilities: new Set(capabilities as Capability[]), project: undefined };
}

export function knownProject(row: ProjectRow): KnownProject {
  const { id, slug, seq, revision } = row;
  const settings = row.settings as Partial<KnownProject>;
  const { demo = false, quotaBytes = null, retentionDays = null } = settings;
  return { id, slug, seq, demo, quotaBytes, retentionDays, revision };
}
