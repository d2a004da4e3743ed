// The guard's rates: what they limit, and that 0 turns one off.
import { describe, expect, test } from 'bun:test';
import type { AccessRow, Capability } from '../../src/access/access.ts';
import { admit } from '../../src/access/caller.ts';
import type { Token, TokenRegistry } from '../../src/access/tokens.ts';
import { createGuard } from '../../src/http/api/guard.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/limits.ts';
import type { Notice } from '../../src/model/notices.ts';

const ROW = {
  allow: ['widget:write', 'agent:execute'],
  operationId: 'createIssue',
} as unknown as AccessRow;
const request = new Request('http://localhost/api/issues', { method: 'POST' });

function guardOf(limits: Partial<Limits>, capability: Capability | null) {
  const token = {
    id: 'tok_1',
    label: null,
    projectId: 'prj_1',
    capabilities: new Set([capability]),
    instance: false,
  };
  const tokens = {
    authenticate: () =>
      capability === null ? { ok: false } : { ok: true, token: token as unknown as Token },
  } as unknown as TokenRegistry;
  const notices = { note: (_key: string, _notice: Notice) => {}, subscribe: () => {} };
  return createGuard({
    tokens,
    limits: { ...DEFAULT_LIMITS, ...limits },
    notices,
    demo: false,
    addressOf: () => '192.0.2.1',
  });
}

/** How many of a thousand requests at one moment are admitted, and what the first refusal is. */
function admitted(
  limits: Partial<Limits>,
  capability: Capability | null,
): [number, string | undefined] {
  const admission = guardOf(limits, capability).admissionTo(ROW);
  for (let count = 0; count < 1000; count += 1) {
    try {
      admission(request, 0);
    } catch (error) {
      return [count, (error as { code: string }).code];
    }
  }
  return [1000, undefined];
}

describe('a token of the demo [PQRS-70]', () => {
  function refusal(served: boolean, demo: boolean, allow = ['srs:edit', 'read:demo']): string {
    const access = { ...ROW, allow } as unknown as AccessRow;
    const token = {
      ...{ id: 'tok_1', label: null, projectId: 'prj_1', instance: false },
      ...{ capabilities: new Set(['read:demo']), project: { demo } },
    } as unknown as Token;
    try {
      admit(access, token, served);
    } catch (error) {
      const { message, headers } = error as { message: string; headers: Record<string, string> };
      expect(headers['WWW-Authenticate']).toContain('scope="project:owner srs:edit');
      return message;
    }
    return 'admitted';
  }

  test('is told what it lacks to be in effect', () => {
    expect(refusal(true, true)).toBe('admitted');
    expect(refusal(false, true)).toContain('--demo');
    expect(refusal(false, false)).toContain('--demo');
    expect(refusal(true, false)).toContain('settings.demo');
    expect(refusal(false, false, ['srs:edit'])).toBe(
      'This needs one of the capabilities: project:owner, srs:edit.',
    );
  });
});

describe('rates [PQRS-71]', () => {
  test('a widget may send a burst', () => {
    expect(admitted({}, 'widget:write')).toEqual([DEFAULT_LIMITS.widgetBurst, 'rate_limited']);
  });

  test('0 turns a rate off', () => {
    expect(admitted({ widgetPerMinute: 0 }, 'widget:write')).toEqual([
      DEFAULT_LIMITS.widgetTokenPerMinute,
      'rate_limited',
    ]);
    expect(admitted({ widgetPerMinute: 0, widgetTokenPerMinute: 0 }, 'widget:write')).toEqual([
      1000,
      undefined,
    ]);
  });

  test('others have none unless it is set', () => {
    expect(admitted({}, 'agent:execute')).toEqual([1000, undefined]);
    expect(admitted({ agentPerMinute: 7 }, 'agent:execute')).toEqual([7, 'rate_limited']);
  });

  test('bad tokens are 401 until there are too many', () => {
    const admission = guardOf({ failedAuthPerMinute: 2 }, null).admissionTo(ROW);
    const codes = [1, 2, 3].map(() => {
      try {
        admission(request, 0);
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'admitted';
    });
    expect(codes).toEqual(['unauthorized', 'unauthorized', 'rate_limited']);
  });

  test('the bytes of a day are counted for widgets alone', () => {
    const guard = guardOf({ widgetTokenBytesPerDay: 100 }, 'widget:write');
    const caller = guard.admissionTo(ROW)(request, 0);
    guard.takeBytes(caller, 90, 0);
    expect(() => guard.takeBytes(caller, 20, 0)).toThrow('used up');
    expect(() => guard.takeBytes({ ...caller, capability: 'project:owner' }, 20, 0)).not.toThrow();
  });
});
