// A finding of the audit, its stable fingerprint, and the order in which findings are shown.
import { createHash } from 'node:crypto';
import { compare, type GraphNode, isNormative } from '../graph/model.ts';
import type { Severity } from '../sources/findings.ts';
import type { SourceFinding, SourceRoute, SourceScenario } from '../sources/model.ts';
import { idAtStart, idText } from '../sources/openfasttrace/patterns.ts';
import type { Finding } from './model.ts';

export type { Finding } from './model.ts';

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** Findings with their fingerprints, the worst first, then by path, line, code and item. */
export function completeFindings(found: readonly SourceFinding[]): Finding[] {
  const seen = new Map<string, number>();
  return [...found].sort(compareFindings).map((finding) => {
    const { code, path, itemId, relatedIds } = finding;
    const subject = JSON.stringify([
      code,
      path,
      itemId,
      [...relatedIds].sort(),
      itemId === null ? withoutLines(finding.detail) : '',
    ]);
    const ordinal = seen.get(subject) ?? 0;
    seen.set(subject, ordinal + 1);
    const hash = createHash('sha256').update(subject).update(String(ordinal)).digest('base64url');
    return { ...finding, fingerprint: `a1:${hash.slice(0, 22)}` };
  });
}

function withoutLines(detail: string): string {
  return detail.replace(/\b(lines?) \d+(?:(?:, | and )\d+)*/g, '$1');
}

export function compareFindings(a: SourceFinding, b: SourceFinding): number {
  return (
    RANK[a.severity] - RANK[b.severity] ||
    compare(a.path, b.path) ||
    a.line - b.line ||
    compare(a.code, b.code) ||
    compare(a.itemId ?? '', b.itemId ?? '') ||
    compare(a.detail, b.detail)
  );
}

/**
 * Ids that no node has, each once in a file: a tag of a feature is one of all its scenarios. Tags
 * may name what other systems have: only ids of kinds that the sources use are missed, and all that
 * routes declare.
 */
export function catalogFindings(
  { scenarios, routes }: { scenarios: readonly SourceScenario[]; routes: readonly SourceRoute[] },
  nodes: readonly GraphNode[],
): SourceFinding[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const kinds = new Set(nodes.filter(isNormative).flatMap(({ id }) => kindOfId(id) ?? []));
  const hasTriples = nodes.some(({ id }) => id.includes('~') && isTriple(id));
  const isMissed = (id: string) =>
    !ids.has(id) && (kinds.has(kindOfId(id) ?? '') || (hasTriples && isTriple(id)));
  const found = new Map<string, SourceFinding>();
  for (const entry of [...scenarios, ...routes]) {
    const { storyIds, path, line } = entry;
    const isRoute = 'template' in entry;
    const declared = new Set(isRoute ? entry.declaredIds : []).difference(ids);
    for (const id of storyIds.filter((one) => declared.has(one) || isMissed(one))) {
      const key = JSON.stringify([path, id]);
      if ((found.get(key)?.line ?? Number.POSITIVE_INFINITY) <= line) continue;
      const detail = `A ${isRoute ? 'route' : 'scenario'} names ${id}, which is in no source.`;
      const where = { path, line, itemId: null, relatedIds: [id] };
      found.set(key, { code: 'dangling_reference', severity: 'warning', ...where, detail });
    }
  }
  return [...found.values()];
}

function isTriple(id: string): boolean {
  const found = idAtStart(id);
  return found !== null && idText(found.id) === id;
}

function kindOfId(id: string): string | undefined {
  return /^([A-Za-z]+)[^A-Za-z]/.exec(id)?.[1]?.toUpperCase();
}
