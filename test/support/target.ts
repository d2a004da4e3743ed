// What the contract is tested against: the application in this process and the compiled
// executable, or, where PQRS_URL is set, an instance that runs already, or, where CONTRACT_TARGET
// names one, the application on another database or runtime.
import { openDenoTarget } from './deno.ts';
import { openExecutableTarget } from './executable-target.ts';
import { openInProcessTarget } from './in-process-target.ts';
import { openRemoteTarget } from './remote-target.ts';
import { PUBLIC_ROLES, type PublicRole, type Role } from './roles.ts';
import { openPrimaryTarget, openReplicaTarget } from './sqld-target.ts';

export interface Target {
  /** Whether the tests started it: it has all roles and no rate limits in the way. */
  own: boolean;
  /** Sends a request to a path with its prefix. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  token(role: Role): string;
  /** Where it listens without TLS, for requests that `fetch` cannot make. */
  socket(): Promise<{ hostname: string; port: number }>;
  /** All it has logged so far. */
  logged(): string;
}

export interface TargetChoice {
  name: string;
  own: boolean;
  has(role: Role): boolean;
  /** The same target each time. */
  open(): Promise<Target>;
}

const url = process.env.PQRS_URL;

/** Targets that a run of their own takes, by the name in CONTRACT_TARGET. */
const OTHERS: Record<string, () => Promise<Target>> = {
  deno: openDenoTarget,
  primary: openPrimaryTarget,
  replica: openReplicaTarget,
};
const other = OTHERS[process.env.CONTRACT_TARGET ?? ''];

/** The targets of this run. */
export const TARGETS: TargetChoice[] = other
  ? [{ name: process.env.CONTRACT_TARGET!, own: true, has: () => true, open: once(other) }]
  : url
    ? [
        {
          name: 'running instance',
          own: false,
          has: (role) => Boolean(process.env[PUBLIC_ROLES[role as PublicRole] ?? '']),
          open: once(async () => openRemoteTarget(url)),
        },
      ]
    : [
        { name: 'in process', own: true, has: () => true, open: once(openInProcessTarget) },
        { name: 'executable', own: true, has: () => true, open: once(openExecutableTarget) },
      ];

function once(open: () => Promise<Target>): () => Promise<Target> {
  let opened: Promise<Target> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
