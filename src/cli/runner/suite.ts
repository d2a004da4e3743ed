// What the server hands out for the work of an agent, and who the agent is.

export interface Lease {
  id: string;
  token: string;
}

/** A lease as it is handed out: a sign of life is due after `renewAfterMs`. */
export interface OpenLease extends Lease {
  expiresAt: string;
  renewAfterMs: number;
}

export interface SuiteItem {
  position: number;
  runId: string;
  attempt: number;
  commandId: string | null;
  kind: string;
  name: string | null;
  argv: string[];
  /** Relative to the work folder. */
  cwd: string | null;
  env: Record<string, string>;
  timeoutMs: number;
  report: { format: 'none' | 'junit' | 'ctrf' | 'tap'; path: string | null };
  storyIds: string[];
}

export interface Suite {
  id: string;
  planId: string | null;
  items: SuiteItem[];
  lease: OpenLease;
  credentials: Record<string, string>;
}

export interface AgentIdentity {
  name: string;
  version: string;
}

/** A lease lasts for so many of its `renewAfterMs`. */
export const BEATS_A_LEASE = 5;

/** What is written on a line for an item. */
export function nameOf({ name, argv, runId }: Pick<SuiteItem, 'name' | 'argv' | 'runId'>): string {
  return name ?? (argv.join(' ') || runId);
}

/** How long a command may take that does not say. */
const TIMEOUT_MS = 15 * 60_000;

/**
 * The suite in the answer to a claim; what an item leaves out is filled in.
 *
 * @returns undefined where the answer holds none
 */
export function readSuite(body: unknown): Suite | undefined {
  const { id, planId, items, lease, credentials } = (body ?? {}) as Partial<Suite>;
  if (typeof id !== 'string' || !Array.isArray(items) || typeof lease?.token !== 'string')
    return undefined;
  return {
    ...{ id, lease, planId: planId ?? null, credentials: credentials ?? {} },
    items: items.map(readItem).sort((a, b) => a.position - b.position),
  };
}

function readItem(item: Partial<SuiteItem> & Pick<SuiteItem, 'runId' | 'position'>): SuiteItem {
  return {
    runId: item.runId,
    position: item.position,
    attempt: item.attempt ?? 1,
    commandId: item.commandId ?? null,
    kind: item.kind ?? 'shell',
    name: item.name ?? null,
    argv: item.argv ?? [],
    cwd: item.cwd ?? null,
    env: item.env ?? {},
    timeoutMs: item.timeoutMs ?? TIMEOUT_MS,
    report: { format: item.report?.format ?? 'none', path: item.report?.path ?? null },
    storyIds: item.storyIds ?? [],
  };
}
