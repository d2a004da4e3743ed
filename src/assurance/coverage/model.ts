// What coverage says of a story and of all of them.
import type { ResultStatus } from '../../quality/reports/model.ts';
import type { Share } from '../../quality/runs/share.ts';
import type { Settings } from '../../requirements/projects/settings.ts';

/** How a story is covered: the first that holds is its status. */
export const COVERAGE_STATUSES = [
  'failing',
  'uncovered',
  'justified',
  'suspect',
  'stale',
  'unexecuted',
  'validated',
  'passing',
] as const;
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number];

/**
 * The same by how much they leave to do, the worst first: what a story without links of its own has
 * of those that refine it. Of a story that passes and one that is validated, not all is validated.
 */
export const WORST_FIRST: readonly CoverageStatus[] = [
  'failing',
  'uncovered',
  'suspect',
  'stale',
  'unexecuted',
  'justified',
  'passing',
  'validated',
];

export const TRACE_TYPES = ['verifies', 'implements', 'affects', 'satisfies'] as const;
export const TARGET_KINDS = [
  'scenario',
  'test',
  'command',
  'route',
  'issue',
  'commit',
  'file',
  'document',
] as const;
export const TRACE_ORIGINS = ['declared', 'tag', 'import'] as const;
export const TRACE_STATES = ['valid', 'suspect', 'broken'] as const;
export type TraceType = (typeof TRACE_TYPES)[number];
export type TargetKind = (typeof TARGET_KINDS)[number];
export type TraceOrigin = (typeof TRACE_ORIGINS)[number];
export type TraceState = (typeof TRACE_STATES)[number];

export type Need = Settings['needs'][number];

export interface CoveredNeed {
  need: Need;
  state: 'met' | 'unmet' | 'justified';
  /** Why it needs none; null unless somebody has said so. */
  reason: string | null;
}

export interface StoryTrace {
  /** Null for one that no row holds: of the sources, a stored scenario, a command or a test. */
  id: string | null;
  type: TraceType;
  target: { kind: TargetKind; id: string };
  origin: TraceOrigin;
  state: TraceState;
}

export interface CoveringTest {
  kind: 'test' | 'command';
  id: string;
  /** What it is called; null where that is not known. */
  name: string | null;
  /** Of its link. */
  state: TraceState;
  /** Of its newest result; null where it has none. */
  result: ResultStatus | null;
  /** It passed, but for an earlier text of the story, or as an earlier command. */
  stale: boolean;
  /** Its command is set aside for a time: its results say nothing of the story. */
  quarantined: boolean;
}

/** A test, command or scenario by whose result a story is judged. */
export interface Judge extends Pick<CoveringTest, 'id' | 'result' | 'stale'> {
  kind: CoveringTest['kind'] | 'scenario';
}

export interface StoryIssue {
  id: string;
  /** Null, with severity and status, for one that is linked and not known as open. */
  number: number | null;
  severity: string | null;
  status: string | null;
}

export interface LastResult {
  target: { kind: string; id: string; name: string | null };
  status: ResultStatus;
  at: string;
  runId: string;
  durationMs: number | null;
}

export interface LastVerdict {
  id: string;
  verdict: string;
  method: string;
  at: string;
  /** How it stands to the story as it is. */
  standing: 'valid' | 'invalidated' | 'suspect';
}

export interface StoryCoverage {
  storyId: string;
  kind: 'requirement' | 'story';
  title: string;
  status: CoverageStatus;
  /** The status is the worst of those that refine or derive from it: it has no links of its own. */
  inherited: boolean;
  /** Its own, whatever it inherits. */
  needs: readonly CoveredNeed[];
  traces: readonly StoryTrace[];
  /** Keys of scenarios that verify it. */
  scenarios: readonly string[];
  tests: readonly CoveringTest[];
  routes: readonly string[];
  issues: readonly StoryIssue[];
  /** The newest result of those that verify it. */
  lastResult: LastResult | null;
  /** The last verdict on it. */
  validation: LastVerdict | null;
}

export interface CoverageSummary {
  /** Counted: normative, active, not rejected. Own: with a status of their own. */
  stories: { total: number; own: number; inherited: number; notCounted: number };
  /** Of the stories with a status of their own. */
  statuses: Record<CoverageStatus, Share>;
  /** Of the stories that inherit theirs. */
  inherited: Record<CoverageStatus, Share>;
  /** Of the stories with a status of their own; the share is of the met and justified. */
  needs: { need: Need; met: number; justified: number; unmet: number; covered: Share }[];
  /** Stories with a status of their own that have every need met or justified. */
  covered: Share;
  /** Counted stories whose last verdict passed, on what they say today. */
  validated: Share;
  /** All links that are listed, those of stories that are not counted or gone included. */
  traces: { total: number; valid: number; suspect: number; broken: number };
}

export interface Coverage {
  /** Every counted normative node, in source order. */
  stories: readonly StoryCoverage[];
  of(storyId: string): StoryCoverage | undefined;
  summary: CoverageSummary;
}
