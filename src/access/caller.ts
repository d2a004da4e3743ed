// Who calls, and by which capability.

import { type FieldError, Problem } from '../errors.ts';
import {
  type AccessRow,
  actingCapability,
  CAPABILITIES,
  type Capability,
  capabilitiesFor,
} from './access.ts';
import type { KnownProject, Token } from './tokens.ts';

export interface Caller {
  tokenId: string;
  label: string | null;
  projectId: string;
  /** What was known of the project when the request came. */
  project: KnownProject | undefined;
  /** The least restricted capability that allows the call: its rules apply. */
  capability: Capability;
  /** All that are in effect. */
  capabilities: ReadonlySet<Capability>;
  /** May call nothing but GET. */
  readOnly: boolean;
  instance: boolean;
}

export interface Actor {
  tokenId: string;
  label: string | null;
}

/** Whether anybody may hold the token: that of a web page, or of the demo. */
export function isPublic({ capability }: Caller): boolean {
  return capability === 'widget:write' || capability === 'read:demo';
}

export function actorOf(caller: Caller): Actor {
  return { tokenId: caller.tokenId, label: caller.label };
}

/**
 * Admits a token to an operation.
 * @throws Problem `forbidden`, with the capabilities that would do
 */
export function admit(access: AccessRow, token: Token, demoServed: boolean): Caller {
  const { project, readOnly } = token;
  const demo = demoServed && project?.demo === true;
  const capabilities = effective(token, demo);
  const capability = actingCapability(access, { capabilities, readOnly });
  if (!capability) {
    if (readOnly && access.method !== 'GET') throw insufficientScope(access, READ_ONLY);
    const asleep = !demo && actingCapability(access, token) === 'read:demo';
    throw insufficientScope(access, asleep ? ASLEEP : undefined);
  }
  return {
    tokenId: token.id,
    label: token.label,
    projectId: token.projectId,
    project,
    capability,
    capabilities,
    readOnly,
    instance: token.instance,
  };
}

function effective(token: Token, demo: boolean): ReadonlySet<Capability> {
  if (demo || !token.capabilities.has('read:demo')) return token.capabilities;
  return new Set(CAPABILITIES.filter((one) => one !== 'read:demo' && token.capabilities.has(one)));
}

export const READ_ONLY = 'The token is read-only: it may call GET alone, whatever it holds.';

const ASLEEP =
  'The capability read:demo is in effect where settings.demo is true and the server runs with --demo.';

/**
 * `403` with the challenge of RFC 6750, section 3.
 * @param why - where it is not for want of a capability
 */
export function insufficientScope(access: Pick<AccessRow, 'allow'>, why?: string): Problem {
  const names = capabilitiesFor(access);
  const detail = why ?? `This needs one of the capabilities: ${names.join(', ')}.`;
  const headers = challenge(`error="insufficient_scope", scope="${names.join(' ')}"`);
  return new Problem('forbidden', detail, { headers });
}

/** `401` with the challenge of RFC 6750, section 3. */
export function unauthorized(): Problem {
  const detail = 'Send Authorization: Bearer pqrs_<id>_<secret> with a token that is in force.';
  return new Problem('unauthorized', detail, { headers: challenge('error="invalid_token"') });
}

function challenge(what: string): Record<string, string> {
  return { 'WWW-Authenticate': `Bearer realm="pqrs", ${what}` };
}

/** `403` for fields that this caller may not set. */
export function forbiddenFields(names: string[], who: string): Problem {
  const errors = names.map((name) => ({
    pointer: `/${name}`,
    detail: `may not be set by ${who}`,
  }));
  return forbidden(`${who} may not set ${names.join(', ')}.`, errors);
}

/**
 * Refuses fields that the access table does not leave to the caller's capability.
 * @param known - the fields that the operation has: others are left to the check of the body
 * @throws Problem `forbidden`
 */
export function requireFields(
  access: AccessRow,
  caller: Caller,
  body: unknown,
  known: object,
): void {
  const { capability } = caller;
  const may = access.fields[capability];
  if (!may || typeof body !== 'object' || body === null) return;
  const others = Object.keys(body).filter(
    (name) => Object.hasOwn(known, name) && !may.includes(name),
  );
  if (others.length > 0) throw forbiddenFields(others, `a token with ${capability}`);
}

/** `403` for what an owner alone might do here, whatever the table allows. */
export function forbidden(detail: string, errors: FieldError[] = []): Problem {
  const headers = challenge('error="insufficient_scope", scope="project:owner"');
  return new Problem('forbidden', detail, { errors, headers });
}

/** The caller of an operation that needs no token: it sees what a demo token sees, of no project. */
export const ANONYMOUS: Caller = {
  tokenId: '',
  label: null,
  projectId: '',
  project: undefined,
  capability: 'read:demo',
  capabilities: new Set(),
  readOnly: true,
  instance: false,
};
