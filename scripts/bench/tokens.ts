// The time that a refused header takes: it must not tell a token id that there is from another.

import { join } from 'node:path';
import { openTokenRegistry } from '../../src/access/tokens.ts';
import { SERVICE } from '../../src/evidence/logs/entries.ts';
import { createProject } from '../../src/requirements/projects/projects.ts';
import { openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { type Bench, short } from './bench.ts';
import { temporaryFolder } from './running.ts';

const ROUNDS = 8;
const HEADERS = 5000;

export const tokens: Bench = async () => {
  const folder = temporaryFolder();
  const location = { path: join(folder, 'pqrs.db'), backups: join(folder, 'set-aside') };
  const database = await openDatabase({ location, writesPerCommit: 64, migrations: MIGRATIONS });
  const registry = await openTokenRegistry(database);
  const { token } = await database.write((db) =>
    createProject(
      db,
      registry,
      { slug: 'bench' } as never,
      { label: null, instance: true },
      SERVICE,
      0,
    ),
  );
  const known = `Bearer ${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  const unknown = `Bearer pqrs_${'0'.repeat(26)}${token.slice(31)}`;
  const best = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    best.known = Math.min(
      best.known,
      timeOf(() => registry.authenticate(known, 0)),
    );
    best.unknown = Math.min(
      best.unknown,
      timeOf(() => registry.authenticate(unknown, 0)),
    );
  }
  await database.close();
  const ratio = best.known / best.unknown;
  return [
    {
      work: 'refusing a known token id with another secret, against an unknown id',
      measured: `${short(ratio)} times`,
      limit: 'between 0.4 and 2.5',
      ok: ratio > 0.4 && ratio < 2.5,
    },
  ];
};

function timeOf(work: () => unknown): number {
  const began = performance.now();
  for (let each = 0; each < HEADERS; each += 1) work();
  return performance.now() - began;
}
