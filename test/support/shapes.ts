// The shapes of resources as the tests read them.

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export interface Actor {
  tokenId: string;
  label: string | null;
}

export interface Attachment {
  id: string;
  key: string;
  issueId: string;
  name: string;
  kind: string;
  note: string | null;
  mediaType: string;
  bytes: number;
  sha256: string;
  author: Actor;
  createdAt: string;
  url: string;
}

export interface HistoryEntry {
  at: string;
  by: Actor;
  event: string;
  changes: { field: string; from: unknown; to: unknown }[];
}

export interface Issue {
  id: string;
  number: number;
  title: string;
  description: string | null;
  severity: string;
  priority: string | null;
  status: string;
  resolution: string | null;
  duplicateOf: string | null;
  storyIds: string[];
  labels: string[];
  assignee: string | null;
  reporter: string | null;
  author: Actor;
  url: string | null;
  route: string | null;
  build: string | null;
  environment: string | null;
  context: Record<string, unknown> | null;
  runId: string | null;
  occurredAt: string;
  resolvedAt: string | null;
  fixedInBuild: string | null;
  fingerprint: string | null;
  occurrences: number;
  possibleRegression: boolean;
  untrusted: boolean;
  attachments: Attachment[];
  history: HistoryEntry[];
  duplicates: {
    id: string;
    number: number;
    build: string | null;
    occurredAt: string;
    untrusted: boolean;
  }[];
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface LogEntry {
  id: string;
  at: string;
  level: string;
  source: string | null;
  message: string;
  fields: Record<string, unknown> | null;
  route: string | null;
  runId: string | null;
  issueId: string | null;
  fingerprint: string;
  occurrences: number;
  state: string;
  note: string | null;
  version: number;
}

export interface LogGroup {
  fingerprint: string;
  level: string;
  source: string | null;
  message: string;
  occurrences: number;
  firstAt: string;
  lastAt: string;
}

export interface Project {
  id: string;
  slug: string;
  name: string;
  description: string;
  settings: Record<string, unknown>;
  revision: number;
  sources: unknown[];
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors: { pointer: string; detail: string }[];
}
