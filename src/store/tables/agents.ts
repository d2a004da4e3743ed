// Tables of what agents do: credentials and their leases, plans, suites, the state of runs.
import { sql } from 'drizzle-orm';
import {
  blob,
  index,
  integer,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { AgentName, ClaimedItem, Pins, Progress } from './json.ts';
import { author, ofProject, projectId, resource, versioned } from './projects.ts';
import { testCommands } from './quality.ts';

export const credentials = sqliteTable(
  'credentials',
  {
    ...ofProject(),
    name: text().notNull(),
    version: integer().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null for the version in force. */
    retiredAt: integer('retired_at'),
  },
  (t) => [
    unique().on(t.projectId, t.name, t.version),
    uniqueIndex('credentials_current').on(t.projectId, t.name).where(sql`retired_at is null`),
  ],
);

export const leases = sqliteTable(
  'leases',
  {
    ...resource(),
    tokenId: text('token_id').notNull(),
    secretSha256: text('secret_sha256').notNull(),
    leaseMs: integer('lease_ms').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    endedAt: integer('ended_at'),
    endedWhy: text('ended_why'),
  },
  (t) => [index('leases_running').on(t.expiresAt).where(sql`ended_at is null`)],
);

export const credentialLeases = sqliteTable(
  'credential_leases',
  {
    ...ofProject(),
    leaseId: text('lease_id')
      .notNull()
      .references(() => leases.id),
    credentialName: text('credential_name').notNull(),
    credentialVersion: integer('credential_version').notNull(),
    commandId: text('command_id')
      .notNull()
      .references(() => testCommands.id),
    tokenId: text('token_id').notNull(),
    issuedAt: integer('issued_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    endedAt: integer('ended_at'),
    endedWhy: text('ended_why'),
  },
  (t) => [
    index('credential_leases_lease').on(t.leaseId),
    index('credential_leases_command').on(t.commandId).where(sql`ended_at is null`),
    index('credential_leases_name').on(t.projectId, t.credentialName, t.credentialVersion),
    index('credential_leases_project').on(t.projectId, t.seq),
    index('credential_leases_running').on(t.expiresAt).where(sql`ended_at is null`),
    index('credential_leases_token').on(t.tokenId).where(sql`ended_at is null`),
  ],
);

export const plans = sqliteTable(
  'plans',
  {
    ...resource(),
    revision: integer().notNull(),
    /** `produced`, `submitted`, or `suite`: the commands that a suite named without a plan. */
    origin: text().notNull(),
    /** Of plans made before it was no longer read; so is the answer. */
    request: text()
      .notNull()
      .$default(() => '{}'),
    answer: text()
      .notNull()
      .$default(() => '{}'),
    ...author(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('plans_project').on(t.projectId, t.seq)],
);

export const planItems = sqliteTable(
  'plan_items',
  {
    seq: integer().primaryKey(),
    planId: text('plan_id')
      .notNull()
      .references(() => plans.id),
    position: integer().notNull(),
    projectId: projectId(),
    commandId: text('command_id')
      .notNull()
      .references(() => testCommands.id),
    /** `open`, `claimed`, `ended`. */
    state: text().notNull(),
    attempts: integer().notNull().default(0),
    runId: text('run_id'),
    /** How it ended: `passed`, `failed`, `broken`, `cancelled`. */
    outcome: text(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    unique().on(t.planId, t.position),
    index('plan_items_open').on(t.planId, t.position).where(sql`state = 'open'`),
    index('plan_items_state').on(t.planId, t.state, t.outcome),
  ],
);

export const suites = sqliteTable(
  'suites',
  {
    ...resource(),
    planId: text('plan_id').references(() => plans.id),
    leaseId: text('lease_id')
      .notNull()
      .references(() => leases.id),
    agent: text({ mode: 'json' }).$type<AgentName>().notNull(),
    ...author(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (t) => [index('suites_project').on(t.projectId, t.seq), index('suites_lease').on(t.leaseId)],
);

export const runStates = sqliteTable(
  'run_states',
  {
    ...resource(),
    suiteId: text('suite_id').references(() => suites.id),
    planId: text('plan_id').references(() => plans.id),
    /** Of the item in its plan, or in its suite where that is the agent's own. */
    position: integer(),
    commandId: text('command_id').references(() => testCommands.id),
    item: text({ mode: 'json' }).$type<ClaimedItem>(),
    attempt: integer().notNull(),
    state: text().notNull(),
    stateSeq: integer('state_seq').notNull(),
    stateSha256: text('state_sha256'),
    progress: text({ mode: 'json' }).$type<Progress>(),
    message: text(),
    agent: text({ mode: 'json' }).$type<AgentName>(),
    leaseId: text('lease_id').references(() => leases.id),
    cancelRequested: integer('cancel_requested', { mode: 'boolean' }).notNull().default(false),
    fromWidget: integer('from_widget', { mode: 'boolean' }).notNull().default(false),
    heartbeatAt: integer('heartbeat_at'),
    /** Counts up with every change of any run of the instance. */
    change: integer().notNull(),
    /** The revision and overlays of the claim, and the fingerprints of the command's stories then. */
    revision: integer().notNull(),
    overlayClock: integer('overlay_clock').notNull(),
    pins: text({ mode: 'json' }).$type<Pins>().notNull(),
    ...author(),
    ...versioned(),
  },
  (t) => [
    index('run_states_project').on(t.projectId, t.seq),
    index('run_states_state').on(t.projectId, t.state, t.seq),
    uniqueIndex('run_states_change').on(t.projectId, t.change),
    index('run_states_held').on(t.leaseId).where(sql`state in ('queued', 'running')`),
    index('run_states_suite').on(t.suiteId, t.state, t.seq).where(sql`suite_id is not null`),
    index('run_states_plan').on(t.planId, t.seq).where(sql`plan_id is not null`),
    index('run_states_command').on(t.commandId, t.seq).where(sql`command_id is not null`),
  ],
);

export type CredentialRow = typeof credentials.$inferSelect;
export type LeaseRow = typeof leases.$inferSelect;
export type PlanRow = typeof plans.$inferSelect;
export type RunStateRow = typeof runStates.$inferSelect;
