// A second process on the database file of an instance: a connection that can only read, and the same
// application over it. It says when it is ready, and answers each path that comes on a line of standard input with a line of JSON.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openTokenRegistry } from '../../src/access/tokens.ts';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openEvidence } from '../../src/evidence/evidence.ts';
import { createFaults } from '../../src/faults.ts';
import { openContext } from '../../src/http/api/context.ts';
import { openLog } from '../../src/log.ts';
import { createMetrics } from '../../src/model/metrics.ts';
import { createNotices } from '../../src/model/notices.ts';
import { prepareNative } from '../../src/runtime/native.ts';
import type { Services } from '../../src/services.ts';
import { drizzle } from '../../src/store/client/drizzle.ts';
import { openEmbeddedClient } from '../../src/store/client/embedded.ts';
import { openFileStore } from '../../src/store/files/files.ts';
import { openSigningKeys } from '../../src/store/keys/key-files.ts';
import { NO_RECORD } from '../../src/store/keys/key-record.ts';

const [dataDir = '', token = ''] = process.argv.slice(2);
prepareNative(dataDir);
const config = readConfig({ flags: { 'data-dir': dataDir }, environment: {}, folder: dataDir });
const reader = openEmbeddedClient(join(dataDir, 'pqrs.db'), ['pragma query_only = 1']);
const database = {
  read: drizzle(reader),
  write: () => Promise.reject(new Error('this process only reads')),
  commits: () => undefined,
  kind: 'file',
  migrations: [],
  onRecovered: () => {},
} as unknown as Services['database'];
const services = {
  config,
  limits: config.limits,
  log: openLog('silent', false),
  clock: Date.now,
  database,
  files: await openFileStore(join(dataDir, 'files'), { freeFloorBytes: 0 }),
  faults: createFaults(),
  tokens: await openTokenRegistry(database),
  notices: createNotices(Date.now, () => {}),
  metrics: createMetrics(),
  lent: { of: () => undefined },
  draining: () => false,
  whenStopping: () => () => {},
  signingKeys: await openSigningKeys(join(dataDir, 'keys'), {
    ...NO_RECORD,
    check: async () => {},
  } as Services['keyRecord']),
  startedAt: Date.now(),
} as unknown as Services;
const app = createApp(openEvidence(openContext(services)));
await app.open();
process.stdout.write('ready\n');

const headers = { authorization: `Bearer ${token}` };
for await (const path of createInterface({ input: process.stdin })) {
  const response = await app.fetch(new Request(`http://localhost/api${path}`, { headers }));
  process.stdout.write(
    `${JSON.stringify({ status: response.status, body: await response.json() })}\n`,
  );
}
process.exit(0);
