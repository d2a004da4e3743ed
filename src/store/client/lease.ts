// One process for one database on a libSQL server: a row that names its holder and ends by itself,
// by the server's clock. Every write transaction renews it, so that none commits without it, and
// numbers itself in it, so that a read can tell whether it has seen the last write, and a commit
// whose answer was lost can be looked up.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';

export const LEASE_MS = 20_000;
export const RENEWED_AFTER = 0.25;

export type LeaseStatements = ReturnType<typeof leaseStatements>;

const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

/**
 * The lease of a new holder.
 * @param dataDir - the process's own data folder, which it has locked: a lease that names the folder
 *   is that of an earlier process, which is gone, and need not be waited for
 */
export function leaseStatements(dataDir: string, folderId: string, leaseMs: number) {
  const holder = randomUUID();
  // A copy of the folder has its id, and a lock of its own.
  const folder = `${folderId} ${statSync(dataDir).ino}`;
  const end = `${NOW} + ${Math.round(leaseMs)}`;
  return {
    create: {
      sql: `create table if not exists lease (
        one integer primary key check (one = 1),
        holder text not null,
        folder text not null,
        host text not null,
        process integer not null,
        commits integer not null,
        ends_at integer not null
      ) strict`,
    },
    /** Takes it, where it is free, ended or this data folder's; gives a row if so. */
    take: {
      sql: `insert into lease (one, holder, folder, host, process, commits, ends_at)
        values (1, ?, ?, ?, ?, 0, ${end})
        on conflict (one) do update set
          holder = excluded.holder, folder = excluded.folder, host = excluded.host,
          process = excluded.process, commits = 0, ends_at = excluded.ends_at
        where lease.ends_at <= ${NOW} or lease.folder = excluded.folder or lease.holder = excluded.holder
        returning commits`,
      args: [holder, folder, hostname(), process.pid],
    },
    /** Who holds it: a row of host, process, and milliseconds until it ends. */
    holder: { sql: `select host, process, ends_at - ${NOW} from lease` },
    /** Renews it and numbers the transaction; gives the number, or no row where it is lost. */
    renew: {
      sql: `update lease set commits = commits + 1, ends_at = ${end} where holder = ? returning commits`,
      args: [holder],
    },
    /** Renews it; gives the number of the last transaction, or no row where it is lost. */
    confirm: {
      sql: `update lease set ends_at = ${end} where holder = ? returning commits`,
      args: [holder],
    },
    /** Reads the number of the last transaction; gives no row where the lease is lost. */
    mark: { sql: 'select commits from lease where holder = ?', args: [holder] },
    release: { sql: 'delete from lease where holder = ?', args: [holder] },
  };
}
