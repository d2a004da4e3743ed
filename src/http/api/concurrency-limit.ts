// How much may be under way at once: in all, and by share of those who would take it all.
import { type Caller, isPublic } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import type { Limits } from '../../limits.ts';

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

export type Shares = Pick<Limits, 'publicPercent' | 'tokenPercent' | 'addressPercent'>;

const PUBLIC = 'public';

/** @param most - of requests or bytes; one that is larger, or than a share, enters where nothing else is */
export function createConcurrencyLimit(
  most: number,
  { publicPercent, tokenPercent, addressPercent }: Shares,
  unit: 'requests' | 'bytes' = 'requests',
) {
  const mostPublic = (most * publicPercent) / 100;
  const byHolder = new Map<string, number>();
  let inside = 0;

  function requireFree(amount: number): void {
    if (!isOver(inside, amount, most)) return;
    throw new Problem('unavailable', `More than ${most} ${unit} are under way.`, {
      headers: { 'Retry-After': '1' },
    });
  }

  function requireShare(holder: string, amount: number, limit: number, name: string): void {
    if (isOver(byHolder.get(holder) ?? 0, amount, limit))
      throw tooManyAtOnce(name, Math.max(1, Math.floor(limit)), unit);
  }

  function hold(holder: string, amount: number): void {
    const held = (byHolder.get(holder) ?? 0) + amount;
    if (held === 0) byHolder.delete(holder);
    else byHolder.set(holder, held);
  }

  // The same for all: nothing is made for each request.
  const leave = (): void => {
    inside -= 1;
  };
  const leavePublic = (): void => {
    inside -= 1;
    hold(PUBLIC, -1);
  };

  return {
    /**
     * Counts in what ends soon; tokens that anybody may hold have a share of it together.
     * @returns counts it out again, to be called once
     * @throws Problem `unavailable` when there is too much, `rate_limited` when the share is used up
     */
    enter(caller: Caller): () => void {
      requireFree(1);
      if (isPublic(caller)) {
        requireShare(PUBLIC, 1, mostPublic, 'public-share');
        hold(PUBLIC, 1);
      }
      inside += 1;
      return isPublic(caller) ? leavePublic : leave;
    },
    /**
     * Counts in what lasts as long as its client likes: a token has its share, and so has each
     * address that uses it.
     * @param network - undefined where the token alone counts
     */
    enterByShare(caller: Caller, network: string | undefined, amount = 1): () => void {
      requireFree(amount);
      const { tokenId } = caller;
      const whole = isPublic(caller) ? mostPublic : most;
      const holders = [tokenId];
      requireShare(tokenId, amount, (whole * tokenPercent) / 100, 'token-share');
      if (network !== undefined) {
        const client = `${tokenId} ${network}`;
        requireShare(client, amount, (whole * addressPercent) / 100, 'address-share');
        holders.push(client);
      }
      if (isPublic(caller)) {
        requireShare(PUBLIC, amount, mostPublic, 'public-share');
        holders.push(PUBLIC);
      }
      inside += amount;
      for (const holder of holders) hold(holder, amount);
      return () => {
        inside -= amount;
        for (const holder of holders) hold(holder, -amount);
      };
    },
    get inside(): number {
      return inside;
    },
  };
}

/** Places of each token, for what waits where it has no more. */
export function createTokenPlaces(most: number) {
  const taken = new Map<string, number>();
  return {
    /** @returns what gives the place back, once; undefined where none is left */
    take({ tokenId }: Caller): (() => void) | undefined {
      const before = taken.get(tokenId) ?? 0;
      if (before >= most) return undefined;
      taken.set(tokenId, before + 1);
      return () => {
        const left = (taken.get(tokenId) ?? 1) - 1;
        if (left > 0) taken.set(tokenId, left);
        else taken.delete(tokenId);
      };
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
