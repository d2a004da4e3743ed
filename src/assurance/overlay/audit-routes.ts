// The route of the audit of a project's sources. It only reads: the findings of the sources were
// made with the revision; those of overlays and verdicts are of this moment.
import { Type } from '@sinclair/typebox';
import { endpoint } from '../../http/api/endpoint.ts';
import { etagOf } from '../../model/etag.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { completeFindings, type Finding } from '../../requirements/audit/finding.ts';
import { writeSarif } from '../../requirements/audit/sarif.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { sourcesOf, sourceView } from '../../requirements/projects/revisions.ts';
import { FINDING_CODES } from '../../requirements/sources/findings.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Assurance } from '../assurance.ts';
import { assuranceFindings } from './findings.ts';

const AuditQuery = closed({
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest unless told' })),
  format: Type.Optional(
    oneOf(
      ['json', 'sarif'],
      'Of the answer: `json` unless told, `sarif` for the tools that show code scans',
    ),
  ),
  severity: Type.Optional(Type.Array(oneOf(['error', 'warning', 'info']))),
  code: Type.Optional(Type.Array(oneOf(FINDING_CODES))),
});

export function readAudit(assurance: Assurance) {
  const { database } = assurance;
  return endpoint({
    docs: async () => (await import('../../requirements/graph/docs.ts')).AUDIT_DOCS,
    query: AuditQuery,
    async handler({ query, caller }) {
      const revision = await readRevision(assurance, caller.projectId, query.revision);
      const all = await findingsOf(assurance, caller.projectId, revision);
      const findings = all.filter(
        ({ severity, code }) =>
          (!query.severity || query.severity.includes(severity)) &&
          (!query.code || query.code.includes(code)),
      );
      if (query.format === 'sarif') {
        const text = JSON.stringify(writeSarif(findings));
        return {
          status: 200,
          text,
          mediaType: 'application/sarif+json',
          etag: etagOf(revision?.number ?? 0, text),
        };
      }
      const sources = revision ? (await sourcesOf(database.read, revision)).map(sourceView) : [];
      const text = JSON.stringify({
        revision: revision?.number ?? 0,
        sources,
        findings,
        summary: summaryOf(findings),
      });
      return { status: 200, text, etag: etagOf(revision?.number ?? 0, text) };
    },
  });
}

/** The findings of a revision; of the latest, with those of its overlays and verdicts. */
async function findingsOf(
  { graphs, states, database, tokens }: Assurance,
  projectId: string,
  revision: RevisionRow | undefined,
): Promise<readonly Finding[]> {
  const found = revision ? await graphs.findings(revision) : [];
  const latest = tokens.project(projectId)?.revision ?? 0;
  if ((revision?.number ?? 0) !== latest) return found;
  const more = await assuranceFindings(database.read, await states.of(projectId));
  return more.length === 0 ? found : completeFindings([...found, ...more]);
}

function summaryOf(findings: readonly Finding[]) {
  const count = (severity: string) =>
    findings.filter((finding) => finding.severity === severity).length;
  const codes = [...Map.groupBy(findings, ({ code }) => code)].map(
    ([code, some]) => [code, some.length] as const,
  );
  return {
    ...{ errors: count('error'), warnings: count('warning'), infos: count('info') },
    codes: Object.fromEntries(codes.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
