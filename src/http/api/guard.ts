// The guard before every operation: who calls, whether that is allowed, and how often.

import type { AccessRow, Capability } from '../../access/access.ts';
import { admit, type Caller, unauthorized } from '../../access/caller.ts';
import type { Token, TokenRegistry } from '../../access/tokens.ts';
import { Problem } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Notices } from '../../model/notices.ts';
import {
  type BucketRule,
  createRateLimiter,
  type RateLimiter,
  rateLimitHeaders,
} from './rate-limit.ts';

export interface GuardOptions {
  tokens: TokenRegistry;
  limits: Limits;
  notices: Notices;
  demo: boolean;
  addressOf(request: Request): string;
}

/**
 * Admits a request to an operation.
 *
 * @throws Problem `unauthorized`, `forbidden` or `rate_limited`, in this order
 */
export type Admission = (request: Request, now: number) => Caller;

export interface Guard {
  /** The admission to an operation. */
  admissionTo(access: AccessRow): Admission;
  /** The RateLimit headers of an admitted caller; none where no limit holds for it. */
  headersFor(caller: Caller, request: Request, now: number): Record<string, string> | undefined;
  /** Takes bytes from a widget token's day. @throws Problem `rate_limited` */
  takeBytes(caller: Caller, bytes: number, now: number): void;
  /** A refusal for want of a good token. @throws always: Problem `unauthorized` or `rate_limited` */
  refuse(request: Request, now: number, token?: Token): never;
}

const UNLIMITED: readonly [RateLimiter, string][] = [];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export function createGuard({ tokens, limits, notices, demo, addressOf }: GuardOptions): Guard {
  const failures = perMinute('failed-auth', limits.failedAuthPerMinute);
  const widgetClient = createRateLimiter({
    name: 'widget',
    burst: limits.widgetBurst,
    amount: limits.widgetPerMinute,
    perMs: MINUTE_MS,
  });
  const widgetToken = perMinute('widget-token', limits.widgetTokenPerMinute);
  const widgetBytes = createRateLimiter({
    name: 'widget-bytes',
    burst: limits.widgetTokenBytesPerDay,
    amount: limits.widgetTokenBytesPerDay,
    perMs: DAY_MS,
  });
  const others: Partial<Record<Capability, RateLimiter>> = {
    ...optional('project:owner', limits.ownerPerMinute),
    ...optional('srs:edit', limits.editorPerMinute),
    ...optional('agent:execute', limits.agentPerMinute),
    ...optional('read:demo', limits.demoPerMinute),
  };

  function limitersOf(caller: Caller, request: Request): readonly [RateLimiter, string][] {
    if (caller.capability !== 'widget:write') {
      const limiter = others[caller.capability];
      return limiter ? [[limiter, caller.tokenId]] : UNLIMITED;
    }
    const limiters: [RateLimiter, string][] = [
      [widgetClient, `${caller.tokenId} ${addressOf(request)}`],
      [widgetToken, caller.tokenId],
    ];
    return limiters.filter(([limiter]) => !isOff(limiter));
  }

  function refuse(request: Request, now: number, token?: Token): never {
    if (token) {
      notices.note(`refused ${token.id}`, {
        projectId: token.projectId,
        level: 'warn',
        message: 'A token that is no longer in force was refused.',
        fields: { tokenId: token.id, method: request.method, revoked: token.revokedAt !== null },
      });
    }
    const wait = isOff(failures) ? 0 : failures.take(addressOf(request), 1, now);
    const problem = wait > 0 ? tooMany(failures, addressOf(request), wait, now) : unauthorized();
    throw withToken(problem, token?.id);
  }

  return {
    refuse,
    admissionTo(access) {
      // Nearly all requests are made by who made the last one of their kind.
      let last: { token: Token; caller: Caller } | undefined;
      return (request, now) => {
        const found = tokens.authenticate(request.headers.get('authorization'), now);
        if (!found.ok) return refuse(request, now, found.token);
        const { token } = found;
        if (last?.token !== token || last.caller.project !== token.project) {
          last = { token, caller: admitNoted(access, token, request) };
        }
        const { caller } = last;
        const limiters = limitersOf(caller, request);
        if (limiters !== UNLIMITED) takeOne(limiters, caller, now);
        return caller;
      };
    },
    headersFor(caller, request, now) {
      const first = limitersOf(caller, request)[0];
      return first && rateLimitHeaders(first[0], first[1], now);
    },
    takeBytes(caller, bytes, now) {
      if (caller.capability !== 'widget:write' || isOff(widgetBytes)) return;
      const wait = widgetBytes.take(caller.tokenId, bytes, now);
      if (wait > 0) throw tooMany(widgetBytes, caller.tokenId, wait, now);
    },
  };

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
}

function takeOne(
  limiters: readonly [RateLimiter, string][],
  { tokenId }: Caller,
  now: number,
): void {
  for (const [limiter, key] of limiters) {
    const wait = limiter.take(key, 1, now);
    if (wait > 0) throw withToken(tooMany(limiter, key, wait, now), tokenId);
  }
}

function withToken(error: unknown, tokenId: string | undefined): unknown {
  if (error instanceof Problem) error.tokenId = tokenId;
  return error;
}

function isOff(limiter: RateLimiter): boolean {
  return limiter.rule.amount === 0;
}

function perMinute(name: string, amount: number): RateLimiter {
  return createRateLimiter({ name, burst: amount, amount, perMs: MINUTE_MS } satisfies BucketRule);
}

function optional(
  capability: Capability,
  amount: number,
): Partial<Record<Capability, RateLimiter>> {
  return amount > 0 ? { [capability]: perMinute(capability.replace(':', '-'), amount) } : {};
}

function tooMany(limiter: RateLimiter, key: string, waitMs: number, now: number): Problem {
  return new Problem(
    'rate_limited',
    `The limit "${limiter.rule.name}" is used up; try again later.`,
    {
      headers: {
        'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
        ...rateLimitHeaders(limiter, key, now),
      },
    },
  );
}
