// The contract on Deno: the same application, served by `Deno.serve`.
import { describe, expect, test } from 'bun:test';
import { runContract } from '../support/contract-run.ts';
import { denoMissing } from '../support/deno.ts';

const missing = denoMissing();
if (missing) console.log(`Skipped: ${missing}.`);

describe.skipIf(missing !== undefined)('the contract holds [PQRS-82]', () => {
  test('on Deno', async () => {
    const run = await runContract('deno');
    expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
    expect(run.passed).toBeGreaterThan(500);
  }, 300_000);
});
