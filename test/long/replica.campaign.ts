// The whole contract on a replica of a libSQL server, whose writes go to its primary.
import { describe, expect, test } from 'bun:test';
import { runContract } from '../support/contract-run.ts';
import { sqldMissing } from '../support/sqld.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

describe.skipIf(missing !== undefined)('the contract holds [PQRS-89]', () => {
  test('on a replica, all of it', async () => {
    const run = await runContract('replica');
    expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
    expect(run.passed).toBeGreaterThan(1500);
  });
});
