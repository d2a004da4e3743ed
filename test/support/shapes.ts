// The shapes of resources as the tests read them.
import type { Static } from '@sinclair/typebox';
import type * as plans from '../../src/agents/plan/model.ts';
import type * as states from '../../src/agents/runs/model.ts';
import type * as impact from '../../src/assurance/impact/impact.ts';
import type * as validation from '../../src/assurance/validation/model.ts';
import type * as workflow from '../../src/assurance/workflow/model.ts';
import type * as attachments from '../../src/evidence/attachments/model.ts';
import type * as issues from '../../src/evidence/issues/model.ts';
import type * as logs from '../../src/evidence/logs/model.ts';
import type * as commands from '../../src/quality/commands/model.ts';
import type * as routes from '../../src/quality/routes/model.ts';
import type * as runs from '../../src/quality/runs/model.ts';
import type * as scenarios from '../../src/quality/scenarios/model.ts';
import type * as audit from '../../src/requirements/audit/model.ts';
import type * as graph from '../../src/requirements/graph/model.ts';
import type * as overlay from '../../src/requirements/overlay/model.ts';
import type * as projects from '../../src/requirements/projects/model.ts';

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export type Addition = Static<typeof overlay.StoryAddition>;
export type Applied = Static<typeof validation.TransferAnswer>;
export type Attachment = Static<typeof attachments.Attachment>;
export type Audit = Static<typeof audit.SourceAudit>;
export type Candidate = Static<typeof routes.Candidate>;
export type Command = Static<typeof commands.TestCommand>;
export type Edit = Static<typeof overlay.StoryEdit>;
export type Graph = Static<typeof graph.GraphBody>;
export type History = Static<typeof runs.TestHistory>;
export type Impact = Static<typeof impact.Impact>;
export type Issue = Static<typeof issues.Issue>;
export type LogEntry = Static<typeof logs.LogEntry>;
export type LogGroup = Static<typeof logs.LogGroup>;
export type Node = Static<typeof graph.GraphNodeBody>;
export type Plan = Static<typeof plans.PlanAnswer>;
export type PlanProgress = Static<typeof states.PlanProgress>;
export type Project = Static<typeof projects.Project>;
export type Result = Static<typeof runs.TestResult>;
export type Route = Static<typeof routes.Route>;
export type Run = Static<typeof runs.TestRunWithResults>;
export type Scenario = Static<typeof scenarios.Scenario>;
export type ScenariosWritten = Static<typeof scenarios.ScenariosWritten>;
export type Share = Static<typeof runs.FlakyTest>['flipRate'];
export type Story = Static<typeof workflow.Story>;
export type Transfer = Static<typeof validation.TransferPage>;
export type Verdict = Static<typeof validation.Validation>;
export type Workflow = Static<typeof workflow.Workflow>;

export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  requestId: string;
  errors: { pointer: string; detail: string }[];
}
