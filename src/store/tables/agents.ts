// Tables of what agents do: credentials and their leases, plans, suites, the state of runs.
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AgentName, ClaimedItem, Pins, Progress } from './json.ts';

export const credentials = sqliteTable('credentials', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  name: text().notNull(),
  version: integer().notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
  /** Null for the version in force. */
  retiredAt: integer('retired_at'),
});

export const leases = sqliteTable('leases', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  tokenId: text('token_id').notNull(),
  secretSha256: text('secret_sha256').notNull(),
  leaseMs: integer('lease_ms').notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  endedAt: integer('ended_at'),
  endedWhy: text('ended_why'),
});

export const credentialLeases = sqliteTable('credential_leases', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  leaseId: text('lease_id').notNull(),
  credentialName: text('credential_name').notNull(),
  credentialVersion: integer('credential_version').notNull(),
  commandId: text('command_id').notNull(),
  tokenId: text('token_id').notNull(),
  issuedAt: integer('issued_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  endedAt: integer('ended_at'),
  endedWhy: text('ended_why'),
});

export const plans = sqliteTable('plans', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  revision: integer().notNull(),
  /** `produced`, `submitted`, or `suite`: the commands that a suite named without a plan. */
  origin: text().notNull(),
  request: text({ mode: 'json' }).$type<object>().notNull(),
  /** JSON, kept as text: it is sent as it stands. */
  answer: text().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  createdAt: integer('created_at').notNull(),
});

export const planItems = sqliteTable('plan_items', {
  seq: integer().primaryKey(),
  planId: text('plan_id').notNull(),
  position: integer().notNull(),
  projectId: text('project_id').notNull(),
  commandId: text('command_id').notNull(),
  /** `open`, `claimed`, `ended`. */
  state: text().notNull(),
  attempts: integer().notNull().default(0),
  /** The run of its newest attempt. */
  runId: text('run_id'),
  /** How it ended: `passed`, `failed`, `broken`, `cancelled`. */
  outcome: text(),
  updatedAt: integer('updated_at').notNull(),
});

export const suites = sqliteTable('suites', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  planId: text('plan_id'),
  leaseId: text('lease_id').notNull(),
  agent: text({ mode: 'json' }).$type<AgentName>().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  createdAt: integer('created_at').notNull(),
  endedAt: integer('ended_at'),
});

export const runStates = sqliteTable('run_states', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  suiteId: text('suite_id'),
  planId: text('plan_id'),
  /** Of the item in its plan, or in its suite where that is the agent's own. */
  position: integer(),
  commandId: text('command_id'),
  /** What the agent is to run, as it was claimed. */
  item: text({ mode: 'json' }).$type<ClaimedItem>(),
  attempt: integer().notNull(),
  state: text().notNull(),
  /** Of the newest write by its agent. */
  stateSeq: integer('state_seq').notNull(),
  stateSha256: text('state_sha256'),
  progress: text({ mode: 'json' }).$type<Progress>(),
  message: text(),
  agent: text({ mode: 'json' }).$type<AgentName>(),
  leaseId: text('lease_id'),
  cancelRequested: integer('cancel_requested', { mode: 'boolean' }).notNull().default(false),
  fromWidget: integer('from_widget', { mode: 'boolean' }).notNull().default(false),
  heartbeatAt: integer('heartbeat_at'),
  /** Counts up with every change of any run of the instance. */
  change: integer().notNull(),
  /** The revision and overlays of the claim, and the fingerprints of the command's stories then. */
  revision: integer().notNull(),
  overlayClock: integer('overlay_clock').notNull(),
  pins: text({ mode: 'json' }).$type<Pins>().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export type CredentialRow = typeof credentials.$inferSelect;
export type LeaseRow = typeof leases.$inferSelect;
export type CredentialLeaseRow = typeof credentialLeases.$inferSelect;
export type PlanRow = typeof plans.$inferSelect;
export type PlanItemRow = typeof planItems.$inferSelect;
export type SuiteRow = typeof suites.$inferSelect;
export type RunStateRow = typeof runStates.$inferSelect;
