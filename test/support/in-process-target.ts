// The application in this process as a target.
import { openInstance } from './instance.ts';
import { OWN_FLAGS } from './own-settings.ts';
import { MAIN_SLUG, OTHER_SLUG, ROLE_TOKENS, type Role } from './roles.ts';
import type { Target } from './target.ts';

/** Opens an instance with a token for each role; `flags` are further settings. */
export async function openInProcessTarget(flags: Record<string, string> = {}): Promise<Target> {
  const instance = await openInstance({ ...OWN_FLAGS, ...flags });
  const main = await instance.makeProject(MAIN_SLUG, { demo: true });
  const other = await instance.makeProject(OTHER_SLUG);
  const tokens = new Map<Role, string>([
    ['owner', main.token],
    ['other', other.token],
  ]);
  for (const [role, { project, capabilities, readOnly, fate }] of Object.entries(ROLE_TOKENS)) {
    const { id } = project === MAIN_SLUG ? main : other;
    const expired = fate === 'expired' ? { expiresAt: Date.now() - 1 } : {};
    const made = await instance.makeToken(id, capabilities, {
      ...{ label: role, ...expired },
      ...(readOnly ? { readOnly } : {}),
    });
    if (fate === 'revoked') await instance.evidence.tokens.revoke(made.id, Date.now());
    tokens.set(role as Role, made.text);
  }
  return {
    own: true,
    fetch: (path, init) => instance.fetch(path, init),
    token: (role) => tokens.get(role)!,
    socket: async () => ({ hostname: '127.0.0.1', port: (await instance.listening()).port }),
    logged: instance.logged,
  };
}
