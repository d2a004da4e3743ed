// What a load was promised: every write that was answered with success, to be looked for later.

export interface PromisedIssue {
  id: string;
  /** A word that is in the title of this issue alone. */
  marker: string;
  /** The token that filed it. */
  token: string;
  /** The last change that was answered, and the last that was sent: counters in `assignee`. */
  changed: number;
  sent: number;
  attachments: number;
}

export interface PromisedFile {
  issueId: string;
  id: string;
  sha256: string;
  bytes: number;
}

/** A request that carried an idempotency key; `id` is set once it was answered. */
export interface KeyedIssue {
  key: string;
  token: string;
  marker: string;
  json: unknown;
  id: string | undefined;
}

export interface Ledger {
  issues: PromisedIssue[];
  files: PromisedFile[];
  keyed: KeyedIssue[];
  /** Ids of log entries. */
  logs: string[];
}

/** An empty ledger. */
export function newLedger(): Ledger {
  return { issues: [], files: [], keyed: [], logs: [] };
}
