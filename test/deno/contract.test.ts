// The contract on Deno, as far as it depends on what serves, reads and writes: the same application,
// served by `Deno.serve`. `npm run test:long deno` runs all of it there.
import { describe, expect, test } from 'bun:test';
import { runContract } from '../support/contract-run.ts';
import { denoMissing } from '../support/deno.ts';

const missing = denoMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const ON_DENO = [
  ...['attachments', 'bodies', 'cors', 'files', 'hostile-files', 'hostile-headers', 'idempotency'],
  ...['issues', 'json', 'limits', 'probes', 'requirements', 'search', 'system-logs', 'uploads'],
  'walk',
];

describe.skipIf(missing !== undefined)('the contract holds [PQRS-82]', () => {
  test('on Deno', async () => {
    const run = await runContract('deno', ON_DENO);
    expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
    expect(run.passed).toBeGreaterThan(500);
  }, 300_000);
});
