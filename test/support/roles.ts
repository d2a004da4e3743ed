// Who calls in the tests: roles with a token each. The first ones exist on any instance, the
// others only on instances that the tests start themselves.
import { expect } from 'bun:test';

/** Roles and the variables that hold their tokens for an instance that runs already. */
export const PUBLIC_ROLES = {
  ...{ owner: 'PQRS_TOKEN', srs: 'PQRS_TOKEN_SRS', agent: 'PQRS_TOKEN_AGENT' },
  ...{ widget: 'PQRS_TOKEN_WIDGET', demo: 'PQRS_TOKEN_DEMO', other: 'PQRS_TOKEN_OTHER' },
} as const;

export type PublicRole = keyof typeof PUBLIC_ROLES;

/**
 * `plain`: an owner of the same project whose token is not the instance's; `widget2`: another
 * widget; `mixed`: srs:edit and widget:write in one; `sleepingDemo`: read:demo in the other project,
 * which has no demo; `expired`, `revoked`: owners once; `auditor`, `onlooker`: an owner and an agent that
 * may only read.
 */
export type PrivateRole =
  | 'plain'
  | 'widget2'
  | 'mixed'
  | 'sleepingDemo'
  | 'otherWidget'
  | 'auditor'
  | 'onlooker'
  | 'expired'
  | 'revoked';

export type Role = PublicRole | PrivateRole;

/** Slugs of the projects on instances that the tests start. */
export const MAIN_SLUG = 'default';
export const OTHER_SLUG = 'other';

/** A token that is to be made for a role. */
export interface RoleToken {
  project: typeof MAIN_SLUG | typeof OTHER_SLUG;
  capabilities: string[];
  readOnly?: boolean;
  fate?: 'expired' | 'revoked';
}

/** The tokens that a new instance needs beside those of its projects' owners. */
export const ROLE_TOKENS: Record<Exclude<Role, 'owner' | 'other'>, RoleToken> = {
  srs: { project: MAIN_SLUG, capabilities: ['srs:edit'] },
  agent: { project: MAIN_SLUG, capabilities: ['agent:execute'] },
  widget: { project: MAIN_SLUG, capabilities: ['widget:write'] },
  demo: { project: MAIN_SLUG, capabilities: ['read:demo'] },
  plain: { project: MAIN_SLUG, capabilities: ['project:owner'] },
  widget2: { project: MAIN_SLUG, capabilities: ['widget:write'] },
  mixed: { project: MAIN_SLUG, capabilities: ['srs:edit', 'widget:write'] },
  sleepingDemo: { project: OTHER_SLUG, capabilities: ['read:demo'] },
  otherWidget: { project: OTHER_SLUG, capabilities: ['widget:write'] },
  auditor: { project: MAIN_SLUG, capabilities: ['project:owner'], readOnly: true },
  onlooker: { project: MAIN_SLUG, capabilities: ['agent:execute'], readOnly: true },
  expired: { project: MAIN_SLUG, capabilities: ['project:owner'], fate: 'expired' },
  revoked: { project: MAIN_SLUG, capabilities: ['project:owner'], fate: 'revoked' },
};

/** Who did something, as answers tell it; the tokens that the tests make themselves have labels. */
export const authorShown = ({ own }: { own: boolean }): object => ({
  tokenId: expect.stringMatching(/^tok_/),
  ...(own ? { label: expect.any(String) } : {}),
});
