// What a token of the demo lacks to be in effect.
import { describe, expect, test } from 'bun:test';
import type { AccessRow } from '../../src/access/access.ts';
import { admit } from '../../src/access/caller.ts';
import type { Token } from '../../src/access/tokens.ts';

describe('a token of the demo [PQRS-70]', () => {
  function refusal(served: boolean, demo: boolean, allow = ['srs:edit', 'read:demo']): string {
    const access = { allow, operationId: 'createIssue' } as unknown as AccessRow;
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
