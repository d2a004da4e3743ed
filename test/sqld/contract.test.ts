// The contract on a libSQL server, as far as it depends on the database: on a primary, and on a
// replica, whose writes go to its primary. `npm run test:long replica` runs all of it there.
import { beforeAll, describe, expect, test } from 'bun:test';
import { type ContractRun, runContract } from '../support/contract-run.ts';
import { sqldMissing } from '../support/sqld.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const TIMEOUT_MS = 300_000;
const ON_PRIMARY = ['issues', 'idempotency', 'concurrency'];
/** What reads at once what it has written, of each area. */
const ON_REPLICA = [
  ...ON_PRIMARY,
  ...['overlays', 'pages-between-writes', 'requirements', 'run-leases', 'scenarios'],
  ...['system-logs', 'test-runs-claims', 'traceability', 'validation-transfer'],
];

let replica: Promise<ContractRun>;
let primary: Promise<ContractRun>;

beforeAll(() => {
  if (missing) return;
  // Both at once: they mostly wait for the servers.
  replica = runContract('replica', ON_REPLICA);
  primary = runContract('primary', ON_PRIMARY);
});

describe.skipIf(missing !== undefined)('the contract holds [PQRS-89]', () => {
  test(
    'on a replica',
    async () => {
      const run = await replica;
      expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
      expect(run.passed).toBeGreaterThan(180);
    },
    TIMEOUT_MS,
  );

  test(
    'on a primary',
    async () => {
      const run = await primary;
      expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
      expect(run.passed).toBeGreaterThan(60);
    },
    TIMEOUT_MS,
  );
});
