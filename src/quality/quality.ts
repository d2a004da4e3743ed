// What the operations of the quality work with: evidence and requirements, and the count of what
// changes here.
import type { Evidence } from '../evidence/evidence.ts';
import type { Requirements } from '../requirements/requirements.ts';
import { createQualityChanges, type QualityChanges } from './quality-changes.ts';

export interface Quality extends Evidence, Requirements {
  qualityChanges: QualityChanges;
}

/** Opens the quality. */
export function openQuality(context: Evidence & Requirements): Quality {
  return { ...context, qualityChanges: createQualityChanges() };
}
