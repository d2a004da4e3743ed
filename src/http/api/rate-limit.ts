// Token buckets in memory, and the RateLimit headers that show them
// (draft-ietf-httpapi-ratelimit-headers).

export interface BucketRule {
  /** The policy's name in the headers. */
  name: string;
  /** How much a bucket holds. */
  burst: number;
  /** How much flows in. */
  amount: number;
  perMs: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const MAX_KEYS = 20_000;
/** So many stay when there are too many, so that looking through all of them is rare. */
const KEYS_LEFT = 15_000;

export function createRateLimiter(rule: BucketRule) {
  const { name, burst, amount } = rule;
  const perMs = amount / rule.perMs;
  const buckets = new Map<string, { level: number; at: number }>();

  function levelOf(key: string, now: number): number {
    const bucket = buckets.get(key);
    return bucket ? Math.min(burst, bucket.level + Math.max(0, now - bucket.at) * perMs) : burst;
  }

  function evict(now: number): void {
    for (const key of buckets.keys()) if (levelOf(key, now) >= burst) buckets.delete(key);
    for (const key of buckets.keys()) {
      if (buckets.size <= KEYS_LEFT) break;
      buckets.delete(key);
    }
  }

  return {
    rule,
    /**
     * Takes from the bucket of a key.
     * @returns 0 when it was there, else after how many milliseconds it will be; nothing is taken then
     */
    take(key: string, cost: number, now: number): number {
      const level = levelOf(key, now);
      if (level < cost) return Math.ceil((Math.min(cost, burst) - level) / perMs);
      if (buckets.size >= MAX_KEYS && !buckets.has(key)) evict(now);
      buckets.set(key, { level: level - cost, at: now });
      return 0;
    },
    headers(key: string, now: number): Record<string, string> {
      const left = Math.floor(levelOf(key, now));
      const seconds = (count: number) => Math.ceil(count / (perMs * 1000));
      return {
        'RateLimit-Policy': `"${name}";q=${burst};w=${seconds(burst)}`,
        RateLimit: `"${name}";r=${left};t=${seconds(burst - left)}`,
      };
    },
  };
}
