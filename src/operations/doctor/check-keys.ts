// The keys: those that are needed are there, and are keys.
import { createPrivateKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kidOfSealed } from '../../store/sealing-key.ts';
import type { Query } from './check-database.ts';
import type { Findings } from './findings.ts';

const KEY_BYTES = 32;
const FROM_BACKUP = 'put it back from a backup of the keys';

/** @param query - undefined where the rows cannot be read: what they are sealed under is not known then */
export async function checkKeys(
  folder: string,
  query: Query | undefined,
  findings: Findings,
): Promise<void> {
  const names = new Set(await readdir(folder).catch(() => [] as string[]));
  for (const name of names) {
    if (!/^(?:sign|seal)-\w+\.key$|^bundle\.ed25519$/.test(name)) continue;
    const wrong = await wrongWith(join(folder, name));
    if (wrong) findings.add('key_damaged', `keys/${name}`, wrong, FROM_BACKUP);
  }
  if (![...names].some((name) => /^sign-\w+\.key$/.test(name)))
    findings.add(
      'key_missing',
      'keys/sign-*.key',
      'links that were signed do not open',
      `${FROM_BACKUP}; else the next start makes a new one`,
    );
  for (const [kid, count] of query ? await sealedUnder(query) : []) {
    if (!names.has(`seal-${kid}.key`))
      findings.add(
        'key_missing',
        `keys/seal-${kid}.key`,
        `${count} credentials do not open`,
        `${FROM_BACKUP}, or set the credentials anew`,
      );
  }
}

async function wrongWith(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    if (path.endsWith('.ed25519')) createPrivateKey(bytes);
    else if (bytes.byteLength !== KEY_BYTES)
      return `it has ${bytes.byteLength} bytes, not ${KEY_BYTES}`;
    return undefined;
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}

/** How many credentials are sealed under each key. */
async function sealedUnder(query: Query): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const [head] of await query('select substr(sealed, 1, 64) from credentials')) {
    const kid = kidOfSealed(Buffer.from(head as Uint8Array));
    counts.set(kid, (counts.get(kid) ?? 0) + 1);
  }
  return counts;
}
