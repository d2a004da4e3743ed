// What the API answers about sources, and questions that more than one part of the page asks.
import type { Static } from '@sinclair/typebox';
import type {
  Finding,
  SourceAudit,
  SourceAuditSummary,
} from '../../../requirements/audit/model.ts';
import type { GraphDiff } from '../../../requirements/graph/diff.ts';
import type { Baseline, Project } from '../../../requirements/projects/model.ts';
import { type Answer, api, type Having, useAnswer } from '../../core/api.ts';

export type Audit = Static<typeof SourceAudit>;
export type AuditSummary = Static<typeof SourceAuditSummary>;
export type Source = Static<typeof Project>['sources'][number];
export type { Finding, GraphDiff };

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Revision {
  revision: number;
  nodes: number;
  errors: number;
  warnings: number;
  author: { tokenId: string; label: string | null };
  createdAt: string;
}

interface History {
  /** The newest first. */
  revisions: Revision[];
  baselines: Static<typeof Baseline>[];
}

/** The revisions and their names; anew when the project has another one. */
export function useRevisions(revision: number): Answer<History> {
  const answer = useAnswer(
    () => api().projects.get({ query: { include: ['revisions', 'baselines'] } }),
    [revision],
  );
  const [project] = (answer.data as Having<typeof answer.data, 'items'> | undefined)?.items ?? [];
  const shown = project && 'baselines' in project ? project : undefined;
  const data = shown && {
    revisions: (shown.revisions ?? []) as Revision[],
    baselines: shown.baselines ?? [],
  };
  return { ...answer, data };
}
