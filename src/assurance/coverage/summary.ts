// Coverage in numbers. A share stands with its counts, so that nobody has to believe it.
import { type Share, shareOf } from '../../quality/runs/share.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { AssuranceState } from '../state/state.ts';
import {
  COVERAGE_STATUSES,
  type CoverageStatus,
  type CoverageSummary,
  type StoryCoverage,
} from './model.ts';
import { isPassed } from './story-coverage.ts';
import { tracesTo } from './story-links.ts';

export function summarize(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
): CoverageSummary {
  const own = stories.filter(({ inherited }) => !inherited);
  const inherited = stories.filter((story) => story.inherited);
  const normative = state.effective.index.graph.nodes.filter(isNormative).length;
  return {
    stories: {
      total: stories.length,
      own: own.length,
      inherited: inherited.length,
      notCounted: normative - stories.length,
    },
    statuses: statusShares(own),
    inherited: statusShares(inherited),
    needs: state.effective.settings.needs.map((need, at) => {
      const count = { met: 0, justified: 0, unmet: 0 };
      for (const { needs } of own) count[needs[at]?.state ?? 'unmet'] += 1;
      return { need, ...count, covered: shareOf(count.met + count.justified, own.length) };
    }),
    covered: shareOf(own.filter(isCovered).length, own.length),
    validated: shareOf(stories.filter(isValidated).length, stories.length),
    traces: traceCounts(state, stories),
  };
}

function statusShares(stories: readonly StoryCoverage[]): Record<CoverageStatus, Share> {
  const counts = new Map<string, number>();
  for (const { status } of stories) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(
    COVERAGE_STATUSES.map((status) => [status, shareOf(counts.get(status) ?? 0, stories.length)]),
  ) as Record<CoverageStatus, Share>;
}

function isCovered({ needs }: StoryCoverage): boolean {
  return needs.every(({ state }) => state !== 'unmet');
}

function isValidated({ validation }: StoryCoverage): boolean {
  return isPassed(validation);
}

/** Counts the links as they are listed: those of nodes that are not counted, or gone, as well. */
function traceCounts(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
): CoverageSummary['traces'] {
  const counts = { valid: 0, suspect: 0, broken: 0 };
  const { at, graph } = state.effective.index;
  const counted = new Set<string>();
  for (const { storyId, traces } of stories) {
    counted.add(storyId);
    for (const trace of traces) counts[trace.state] += 1;
  }
  for (const { id } of graph.nodes) {
    if (counted.has(id)) continue;
    for (const trace of tracesTo(state, id)) counts[trace.state] += 1;
  }
  for (const { storyId } of state.traces) if (!at.has(storyId)) counts.broken += 1;
  return { total: counts.valid + counts.suspect + counts.broken, ...counts };
}
