// How much may be under way at once: in all, and by share of those who would take it all.

import { type Caller, isPublic } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import type { Limits } from '../../limits.ts';

export interface ConcurrencyLimit {
  /**
   * Counts in what ends soon. The tokens of public pages have their share of it together.
   *
   * @returns counts it out again, to be called once
   * @throws Problem `unavailable` when there is too much, `rate_limited` when the share is used up
   */
  enter(caller: Caller): () => void;
  /**
   * Counts in what lasts as long as its client likes: a token has its share, and so has each address
   * that uses it.
   *
   * @param network - the client's, as of `networkOf`; undefined where the token alone counts
   * @param amount - in the unit of the gate
   */
  enterByShare(caller: Caller, network: string | undefined, amount?: number): () => void;
  /** How much is under way. */
  readonly inside: number;
}

export type Shares = Pick<Limits, 'publicPercent' | 'tokenPercent' | 'addressPercent'>;

/**
 * Makes a gate.
 *
 * @param most - how much may be inside; one thing larger than that, or than a share, enters where nothing else is
 */
export function createConcurrencyLimit(
  most: number,
  shares: Shares,
  unit: 'requests' | 'bytes' = 'requests',
): ConcurrencyLimit {
  const mostPublic = (most * shares.publicPercent) / 100;
  const byHolder = new Map<string, number>();
  let inside = 0;
  let insidePublic = 0;

  function requireFree(amount: number): void {
    if (!isOver(inside, amount, most)) return;
    throw new Problem('unavailable', `More than ${most} ${unit} are under way.`, {
      headers: { 'Retry-After': '1' },
    });
  }

  function requireShare(held: number, amount: number, limit: number, name: string): void {
    if (isOver(held, amount, limit))
      throw tooManyAtOnce(name, Math.max(1, Math.floor(limit)), unit);
  }

  function hold(holder: string, amount: number): void {
    const held = (byHolder.get(holder) ?? 0) + amount;
    if (held === 0) byHolder.delete(holder);
    else byHolder.set(holder, held);
  }

  function add(caller: Caller, amount: number): void {
    if (isPublic(caller)) {
      if (amount > 0) requireShare(insidePublic, amount, mostPublic, 'public-share');
      insidePublic += amount;
    }
    inside += amount;
  }

  // The same for all: nothing is made for each request.
  const leave = (): void => {
    inside -= 1;
  };
  const leavePublic = (): void => {
    inside -= 1;
    insidePublic -= 1;
  };

  return {
    enter(caller) {
      requireFree(1);
      add(caller, 1);
      return isPublic(caller) ? leavePublic : leave;
    },
    enterByShare(caller, network, amount = 1) {
      requireFree(amount);
      const { tokenId } = caller;
      const client = network === undefined ? undefined : `${tokenId} ${network}`;
      const whole = isPublic(caller) ? mostPublic : most;
      const ofToken = (whole * shares.tokenPercent) / 100;
      const ofClient = (whole * shares.addressPercent) / 100;
      requireShare(byHolder.get(tokenId) ?? 0, amount, ofToken, 'token-share');
      if (client) requireShare(byHolder.get(client) ?? 0, amount, ofClient, 'address-share');
      add(caller, amount);
      hold(tokenId, amount);
      if (client) hold(client, amount);
      return () => {
        add(caller, -amount);
        hold(tokenId, -amount);
        if (client) hold(client, -amount);
      };
    },
    get inside() {
      return inside;
    },
  };
}

function isOver(held: number, amount: number, limit: number): boolean {
  return held > 0 && held + amount > limit;
}

/** `429` for who has too much under way (draft-ietf-httpapi-ratelimit-headers, 2.1.2). */
export function tooManyAtOnce(name: string, limit: number, unit: string): Problem {
  const quotaUnit = unit === 'bytes' ? 'content-bytes' : 'concurrent-requests';
  return new Problem('rate_limited', `The limit "${name}", ${limit} ${unit} at once, is reached.`, {
    headers: {
      'Retry-After': '1',
      'RateLimit-Policy': `"${name}";q=${limit};qu="${quotaUnit}"`,
      RateLimit: `"${name}";r=0;t=1`,
    },
  });
}
