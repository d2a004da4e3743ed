// The whole contract on Deno.
import { describe, expect, test } from 'bun:test';
import { runContract } from '../support/contract-run.ts';
import { denoMissing } from '../support/deno.ts';

const missing = denoMissing();
if (missing) console.log(`Skipped: ${missing}.`);

describe.skipIf(missing !== undefined)('the contract holds [PQRS-82]', () => {
  test('on Deno, all of it', async () => {
    const run = await runContract('deno');
    expect(run).toEqual({ passed: run.passed, failed: 0, failures: '' });
    expect(run.passed).toBeGreaterThan(1500);
  });
});
