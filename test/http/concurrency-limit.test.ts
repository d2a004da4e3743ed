// How much may be under way at once, and whose share it is.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Capability } from '../../src/access/access.ts';
import type { Caller } from '../../src/access/caller.ts';
import { Problem } from '../../src/errors.ts';
import {
  type ConcurrencyLimit,
  createConcurrencyLimit,
} from '../../src/http/api/concurrency-limit.ts';

const SHARES = { publicPercent: 25, tokenPercent: 50, addressPercent: 25 };

const callerOf = (tokenId: string, capability: Capability = 'project:owner') =>
  ({ tokenId, capability }) as Caller;

/** How many enter before the first is refused, and the code and limit of the refusal. */
function fill(enter: (at: number) => unknown): [number, string, string | undefined] {
  for (let at = 0; ; at += 1) {
    try {
      enter(at);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [at, error.code, error.headers['RateLimit-Policy']?.split(';')[0]];
    }
  }
}

describe('a gate [PQRS-71]', () => {
  test.each([
    ['project:owner', 8, 4],
    ['widget:write', 2, 1],
  ] as const)('shares among tokens and networks of %s', (capability, ofToken, ofNetwork) => {
    const one = callerOf('one', capability);
    const byNetwork = createConcurrencyLimit(16, SHARES);
    const refusal = fill(() => byNetwork.enterByShare(one, '192.0.2.1'));
    expect(refusal).toEqual([ofNetwork, 'rate_limited', '"address-share"']);
    byNetwork.enterByShare(one, '192.0.2.2');
    byNetwork.enterByShare(callerOf('two', capability), '192.0.2.1');
    const byToken = createConcurrencyLimit(16, SHARES);
    const spread = fill((at) => byToken.enterByShare(one, `192.0.2.${at}`));
    expect(spread).toEqual([ofToken, 'rate_limited', '"token-share"']);
  });

  test('is as before when all have left, whoever was refused meanwhile', () => {
    const steps = fc.array(
      fc.record({
        token: fc.constantFrom('a', 'b', 'c'),
        capability: fc.constantFrom<Capability>('project:owner', 'widget:write', 'read:demo'),
        network: fc.constantFrom('n', 'm', undefined),
        amount: fc.constantFrom(0, 1, 5),
      }),
    );
    const full = (gate: ConcurrencyLimit) =>
      fill(() => gate.enterByShare(callerOf('x', 'widget:write'), 'z'));
    const fresh = full(createConcurrencyLimit(32, SHARES));
    fc.assert(
      fc.property(steps, (all) => {
        const gate = createConcurrencyLimit(32, SHARES);
        const leaves: (() => void)[] = [];
        for (const { token, capability, network, amount } of all) {
          const caller = callerOf(token, capability);
          try {
            leaves.push(
              amount === 0 ? gate.enter(caller) : gate.enterByShare(caller, network, amount),
            );
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
          }
        }
        for (const leave of leaves) leave();
        expect(gate.inside).toBe(0);
        expect(full(gate)).toEqual(fresh);
      }),
    );
  });
});
