// Counts, by project, what has changed of its commands, scenarios and results, so that others see
// when what they have made of them is out of date.

export const QUALITY_PARTS = ['commands', 'scenarios', 'results'] as const;
export type QualityPart = (typeof QUALITY_PARTS)[number];

export interface QualityChanges {
  /** How often a part of a project has changed since the start. */
  count(projectId: string, part: QualityPart): number;
  /** To be called after the commit of a change. */
  changed(projectId: string, part: QualityPart): void;
}

/** Counts that begin at 0. */
export function createQualityChanges(): QualityChanges {
  const counts = new Map<string, number>();
  return {
    count: (projectId, part) => counts.get(`${part} ${projectId}`) ?? 0,
    changed(projectId, part) {
      const name = `${part} ${projectId}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
  };
}
