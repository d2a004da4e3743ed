// The route of the audit of a project's sources. It only reads: the findings were made with the
// revision.
import { Type } from '@sinclair/typebox';
import { endpoint } from '../http/endpoint.ts';
import { etagOf } from '../http/etag.ts';
import { closed, oneOf } from '../http/schemas.ts';
import type { Finding } from './audit/finding.ts';
import { writeSarif } from './audit/sarif.ts';
import { AUDIT_DOCS } from './graph-docs.ts';
import { readRevision } from './read-revision.ts';
import type { Requirements } from './requirements.ts';
import { sourcesOf, sourceView } from './revisions.ts';

const AuditQuery = closed({
  revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest unless told' })),
  format: Type.Optional(oneOf(['json', 'sarif'])),
  severity: Type.Optional(Type.Array(oneOf(['error', 'warning', 'info']))),
  code: Type.Optional(Type.Array(Type.String())),
});

export function readAudit(requirements: Requirements) {
  const { database, graphs } = requirements;
  return endpoint({
    docs: AUDIT_DOCS,
    query: AuditQuery,
    async handler({ query, caller }) {
      const revision = await readRevision(requirements, caller.projectId, query.revision);
      const all = revision ? await graphs.findings(revision) : [];
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
