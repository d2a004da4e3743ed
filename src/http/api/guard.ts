// The guard before every operation: who calls, whether that is allowed, and how often.
import type { AccessRow, Capability } from '../../access/access.ts';
import { admit, type Caller, unauthorized } from '../../access/caller.ts';
import type { Token, TokenRegistry } from '../../access/tokens.ts';
import { Problem } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Notices } from '../../model/notices.ts';

export interface GuardOptions {
  tokens: TokenRegistry;
  limits: Limits;
  notices: Notices;
  demo: boolean;
  addressOf(request: Request): string;
}

/** @throws Problem `unauthorized`, `forbidden` or `rate_limited`, in this order */
export type Admission = (request: Request, now: number) => Caller;

type Rate = readonly [limiter: RateLimiter, key: string];

const UNLIMITED: readonly Rate[] = [];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export function createGuard({ tokens, limits, notices, demo, addressOf }: GuardOptions) {
  const failures = limiterOf('failed-auth', limits.failedAuthPerMinute);
  const widgetClient = limiterOf('widget', limits.widgetPerMinute, limits.widgetBurst);
  const widgetToken = limiterOf('widget-token', limits.widgetTokenPerMinute);
  const { widgetTokenBytesPerDay: dayBytes } = limits;
  const widgetBytes = limiterOf('widget-bytes', dayBytes, dayBytes, DAY_MS);
  const others: Partial<Record<Capability, RateLimiter | undefined>> = {
    'project:owner': limiterOf('project-owner', limits.ownerPerMinute),
    'srs:edit': limiterOf('srs-edit', limits.editorPerMinute),
    'agent:execute': limiterOf('agent-execute', limits.agentPerMinute),
    'read:demo': limiterOf('read-demo', limits.demoPerMinute),
  };

  function ratesOf({ capability, tokenId }: Caller, request: Request): readonly Rate[] {
    if (capability !== 'widget:write') {
      const limiter = others[capability];
      return limiter ? [[limiter, tokenId]] : UNLIMITED;
    }
    const rates: Rate[] = [];
    if (widgetClient) rates.push([widgetClient, `${tokenId} ${addressOf(request)}`]);
    if (widgetToken) rates.push([widgetToken, tokenId]);
    return rates;
  }

  /** A refusal for want of a good token. @throws always: Problem `unauthorized` or `rate_limited` */
  function refuse(request: Request, now: number, token?: Token): never {
    if (token) {
      notices.note(`refused ${token.id}`, {
        projectId: token.projectId,
        level: 'warn',
        message: 'A token that is no longer in force was refused.',
        fields: { tokenId: token.id, method: request.method, revoked: token.revokedAt !== null },
      });
    }
    if (failures) take([failures, addressOf(request)], 1, now, token?.id);
    throw withToken(unauthorized(), token?.id);
  }

  function admitNoted(access: AccessRow, token: Token, request: Request): Caller {
    try {
      return admit(access, token, demo);
    } catch (error) {
      notices.note(`forbidden ${token.id}`, {
        projectId: token.projectId,
        level: 'warn',
        message: 'A token without the needed capability was refused.',
        fields: { tokenId: token.id, method: request.method, operation: access.operationId },
      });
      throw withToken(error, token.id);
    }
  }

  return {
    refuse,
    admissionTo(access: AccessRow): Admission {
      // Nearly all requests are made by who made the last one of their kind.
      let last: { token: Token; caller: Caller } | undefined;
      return (request, now) => {
        const found = tokens.authenticate(request.headers.get('authorization'), now);
        if (!found.ok) return refuse(request, now, found.token);
        const { token } = found;
        if (last?.token !== token || last.caller.project !== token.project)
          last = { token, caller: admitNoted(access, token, request) };
        const { caller } = last;
        for (const rate of ratesOf(caller, request)) take(rate, 1, now, token.id);
        return caller;
      };
    },
    /** The RateLimit headers of an admitted caller; undefined where no limit holds for it. */
    headersFor(caller: Caller, request: Request, now: number) {
      const [rate] = ratesOf(caller, request);
      return rate?.[0].headers(rate[1], now);
    },
    /** Takes bytes from a widget token's day. @throws Problem `rate_limited` */
    takeBytes({ capability, tokenId }: Caller, bytes: number, now: number): void {
      if (capability === 'widget:write' && widgetBytes)
        take([widgetBytes, tokenId], bytes, now, tokenId);
    },
  };
}

/** Undefined where the amount is 0, which turns the limit off. */
function limiterOf(
  name: string,
  amount: number,
  burst = amount,
  perMs = MINUTE_MS,
): RateLimiter | undefined {
  return amount === 0 ? undefined : createRateLimiter({ name, burst, amount, perMs });
}

/** @throws Problem `rate_limited` */
function take([limiter, key]: Rate, cost: number, now: number, tokenId: string | undefined): void {
  const waitMs = limiter.take(key, cost, now);
  if (waitMs === 0) return;
  const detail = `The limit "${limiter.rule.name}" is used up; try again later.`;
  const retryAfter = String(Math.max(1, Math.ceil(waitMs / 1000)));
  const headers = { 'Retry-After': retryAfter, ...limiter.headers(key, now) };
  throw withToken(new Problem('rate_limited', detail, { headers }), tokenId);
}

function withToken(error: unknown, tokenId: string | undefined): unknown {
  if (error instanceof Problem) error.tokenId = tokenId;
  return error;
}

/** A token bucket, in the headers of draft-ietf-httpapi-ratelimit-headers. */
interface BucketRule {
  /** The policy's name. */
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
