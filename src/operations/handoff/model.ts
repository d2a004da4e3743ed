// What a handoff says: all that a program needs which has never seen the project. Its order is
// fixed, and nothing in it tells the time: two handoffs of the same state are equal.
import type { Capability } from '../../access/access.ts';
import type { Limits } from '../../limits.ts';

/** Counted up when a field changes its meaning or goes. */
export const SCHEMA_VERSION = 1;

/** How many of each there are at most; what is left out is counted. */
export const SHOWN = {
  stories: 20,
  commands: 100,
  scenarios: 50,
  runs: 10,
  blockers: 20,
  reported: 20,
  plans: 10,
  actions: 12,
} as const;

/** Some of a list, and how many there are of it. */
export interface Excerpt<T> {
  total: number;
  items: T[];
}

export interface HandoffCall {
  method: string;
  path: string;
  operationId: string;
  purpose: string;
  /** By which of its capabilities the caller may. */
  capability: Capability;
  /** JSON pointer into the API document. */
  schema: string;
}

export interface HandoffStory {
  id: string;
  kind: string;
  title: string;
  priority: string | null;
  status: string;
  openIssues: number;
  /** What is missing. */
  why: string[];
}

export interface HandoffCommand {
  id: string;
  key: string;
  name: string;
  kind: string;
  argv: string[];
  cwd: string | null;
  /** Names of variables; no values. */
  env: string[];
  /** Names of credentials; no values. */
  credentials: string[];
  timeoutMs: number;
  report: { format: string; path: string | null };
  storyIds: string[];
  routes: string[];
  tags: string[];
  state: string;
  quarantine: { owner: string; reason: string; until: string } | null;
  /** Its newest run that counts. */
  lastRun: { id: string; status: string; at: string } | null;
}

export interface HandoffScenario {
  id: string;
  key: string;
  feature: string | null;
  title: string;
  storyIds: string[];
  state: string;
}

export interface HandoffRun {
  id: string;
  name: string;
  status: string;
  commandId: string | null;
  commit: string | null;
  branch: string | null;
  at: string;
  totals: Record<string, number>;
  harnessErrors: { code: string; detail: string }[];
}

export interface HandoffBlocker {
  id: string;
  number: number;
  title: string;
  status: string;
  storyIds: string[];
  /** Whether a web page filed it: its title is anybody's. */
  untrusted: boolean;
}

export interface HandoffPlan {
  id: string;
  revision: number;
  origin: string;
  open: number;
  claimed: number;
  ended: number;
}

/** A request that is ready to be sent. */
export interface ReadyRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface HandoffAction {
  /** From 1: the most helpful. */
  rank: number;
  action: string;
  why: string;
  capability: Capability;
  request: ReadyRequest;
}

/**
 * Requests that follow each other, in the terms of the Arazzo specification 1.0.1 (OpenAPI
 * Initiative): a runtime expression in a payload stands for an input or for what an answer gave.
 */
export interface HandoffWorkflow {
  workflowId: string;
  summary: string;
  inputs: { name: string; required: boolean; description: string; example: unknown }[];
  steps: WorkflowStep[];
}

export interface WorkflowStep {
  stepId: string;
  description: string;
  operationId: string;
  method: string;
  path: string;
  requestBody: { contentType: string; payload: unknown };
  successCriteria: { condition: string }[];
  /** By name, a runtime expression on the answer. */
  outputs: Record<string, string>;
}

export interface Convention {
  topic: string;
  rules: string[];
}

export interface Handoff {
  schemaVersion: number;
  service: {
    name: string;
    version: string;
    prefixes: readonly string[];
    openapi: string;
    docs: string;
    /** JSON pointer to the JSON Schema of this document. */
    schema: string;
  };
  caller: {
    tokenId: string;
    label: string | null;
    capabilities: Capability[];
    calls: HandoffCall[];
  };
  project: {
    id: string;
    slug: string;
    name: string;
    description: string;
    settings: Record<string, unknown>;
    revision: number;
    sources: { total: number; failed: string[] };
    audit: { errors: number; warnings: number };
  };
  counts: {
    stories: Record<string, number>;
    statuses: Record<string, number>;
    gaps: Record<string, number>;
    issues: Record<string, number>;
    overlays: { proposed: number; conflicted: number };
    commands: number;
    scenarios: number;
    routes: { total: number; covered: number; failing: number; untested: number };
    runs: number;
  };
  stories: Excerpt<HandoffStory>;
  commands: Excerpt<HandoffCommand>;
  scenarios: Excerpt<HandoffScenario>;
  plans: HandoffPlan[];
  runs: HandoffRun[];
  blockers: Excerpt<HandoffBlocker>;
  /** Issues that web pages filed and nobody has looked at, by their numbers; none of their text. */
  reported: { total: number; numbers: number[] };
  nextActions: HandoffAction[];
  workflows: HandoffWorkflow[];
  conventions: Convention[];
  limits: Limits & { pageDefault: number; pageMost: number; leaseMsMost: number };
}
