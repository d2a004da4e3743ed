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

interface Bucket {
  level: number;
  at: number;
}

export interface RateLimiter {
  /**
   * Takes from the bucket of a key.
   *
   * @returns 0 when it was there, else after how many milliseconds it will be; nothing is taken then
   */
  take(key: string, cost: number, now: number): number;
  /** What is left, whole units. */
  left(key: string, now: number): number;
  rule: BucketRule;
}

const KEYS_KEPT = 20_000;
/** So many stay when there are too many, so that looking through all of them is rare. */
const KEYS_LEFT = 15_000;

export function createRateLimiter(rule: BucketRule): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const perMs = rule.amount / rule.perMs;

  function levelOf(bucket: Bucket, now: number): number {
    return Math.min(rule.burst, bucket.level + Math.max(0, now - bucket.at) * perMs);
  }

  function forgetFull(now: number): void {
    for (const [key, bucket] of buckets)
      if (levelOf(bucket, now) >= rule.burst) buckets.delete(key);
    for (const key of buckets.keys()) {
      if (buckets.size <= KEYS_LEFT) break;
      buckets.delete(key);
    }
  }

  return {
    rule,
    take(key, cost, now) {
      let bucket = buckets.get(key);
      if (!bucket) {
        if (buckets.size >= KEYS_KEPT) forgetFull(now);
        bucket = { level: rule.burst, at: now };
        buckets.set(key, bucket);
      }
      const level = levelOf(bucket, now);
      if (level < cost) return Math.ceil((Math.min(cost, rule.burst) - level) / perMs);
      bucket.level = level - cost;
      bucket.at = now;
      return 0;
    },
    left(key, now) {
      const bucket = buckets.get(key);
      return Math.floor(bucket ? levelOf(bucket, now) : rule.burst);
    },
  };
}

export function rateLimitHeaders(
  limiter: RateLimiter,
  key: string,
  now: number,
): Record<string, string> {
  const { name, burst, amount, perMs } = limiter.rule;
  const left = limiter.left(key, now);
  const refill = Math.ceil((burst - left) / ((amount / perMs) * 1000));
  return {
    'RateLimit-Policy': `"${name}";q=${burst};w=${Math.ceil(burst / ((amount / perMs) * 1000))}`,
    RateLimit: `"${name}";r=${left};t=${refill}`,
  };
}
