// One process for one database on a libSQL server: a row that names its holder and ends by
// itself, renewed while the process lives.
import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { StoreRefused } from './errors.ts';
import { instance } from './tables/projects.ts';

const NAME = 'lease';
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

interface Lease {
  holder: string;
  expiresAt: number;
}

/**
 * Takes the lease of a database and keeps it.
 *
 * @param database - the shared database
 * @param onLost - called once when another process has taken the lease
 * @returns a function that gives the lease back
 * @throws StoreRefused when another process holds it
 */
export async function takeLease(
  database: Database,
  onLost: () => void,
): Promise<() => Promise<void>> {
  const holder = crypto.randomUUID();

  async function renew(): Promise<boolean> {
    return database.write(async (db) => {
      const [row] = await db.select().from(instance).where(eq(instance.name, NAME));
      const lease = row ? (JSON.parse(row.value) as Lease) : undefined;
      if (lease && lease.holder !== holder && lease.expiresAt > Date.now()) return false;
      const value = JSON.stringify({ holder, expiresAt: Date.now() + LEASE_MS } satisfies Lease);
      await db
        .insert(instance)
        .values({ name: NAME, value })
        .onConflictDoUpdate({ target: instance.name, set: { value } });
      return true;
    });
  }

  if (!(await renew())) {
    throw new StoreRefused(
      `another pqrs process serves this database; its lease ends ${LEASE_MS / 1000} s after it stops`,
    );
  }
  const timer = setInterval(() => {
    renew().then(
      (held) => {
        if (held) return;
        clearInterval(timer);
        onLost();
      },
      () => {},
    );
  }, RENEW_MS);
  return async () => {
    clearInterval(timer);
    await database.write(async (db) => {
      const [row] = await db.select().from(instance).where(eq(instance.name, NAME));
      if (row && (JSON.parse(row.value) as Lease).holder === holder) {
        await db.delete(instance).where(eq(instance.name, NAME));
      }
    });
  };
}
