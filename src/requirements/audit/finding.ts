// A finding of the audit, its stable fingerprint, and the order in which findings are shown.
import { createHash } from 'node:crypto';
import { compare } from '../graph/model.ts';
import type { Severity } from '../sources/findings.ts';
import type { SourceFinding } from '../sources/model.ts';
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

function compareFindings(a: SourceFinding, b: SourceFinding): number {
  return (
    RANK[a.severity] - RANK[b.severity] ||
    compare(a.path, b.path) ||
    a.line - b.line ||
    compare(a.code, b.code) ||
    compare(a.itemId ?? '', b.itemId ?? '') ||
    compare(a.detail, b.detail)
  );
}
