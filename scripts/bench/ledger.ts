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

/** A report that was posted; `id` is that of its run, once it was answered. */
export interface PromisedRun {
  /** Its external id, which its tests are named by. */
  name: string;
  cases: number;
  /** Of the file that goes with it. */
  fileSha256: string | null;
  id: string | undefined;
}

export interface Ledger {
  issues: PromisedIssue[];
  files: PromisedFile[];
  keyed: KeyedIssue[];
  /** Ids of log entries. */
  logs: string[];
  runs: PromisedRun[];
}

/** An empty ledger. */
export function newLedger(): Ledger {
  return { issues: [], files: [], keyed: [], logs: [], runs: [] };
}
