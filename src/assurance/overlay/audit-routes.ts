// The route of the audit of a project's sources: the findings of the sources were made with the
// revision; those of overlays and verdicts are of this moment.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { completeFindings, type Finding } from '../../requirements/audit/findings.ts';
import { AUDIT_DOCS, SourceAudit, writeSarif } from '../../requirements/audit/model.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { revisionAsked } from '../../requirements/projects/baselines.ts';
import { revisionQuery } from '../../requirements/projects/model.ts';
import { sourcesOf, sourceView } from '../../requirements/projects/revisions.ts';
import { FINDING_CODES } from '../../requirements/sources/findings.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Assurance } from '../assurance.ts';
import { assuranceFindings } from './findings.ts';

const AuditQuery = closed({
  ...revisionQuery,
  format: Type.Optional(oneOf(['json', 'sarif'], 'Of the answer; `json` by default')),
  severity: Type.Optional(Type.Array(oneOf(['error', 'warning', 'info']))),
  code: Type.Optional(Type.Array(oneOf(FINDING_CODES))),
});

export const auditRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'source-audit', prefix: '/srs-source-audit' })
    .use(api(assurance))
    .get('', ({ caller, query }) => readAudit(assurance, caller.projectId, query), {
      operation: { id: 'getSrsSourceAudit', docs: AUDIT_DOCS },
      query: queryOf(AuditQuery),
      response: answers({ 200: SourceAudit }),
    });

async function readAudit(
  assurance: Assurance,
  projectId: string,
  { format, severity, code, ...asked }: Static<typeof AuditQuery>,
) {
  const number = await revisionAsked(assurance.database.read, projectId, asked);
  const revision = await readRevision(assurance, projectId, number);
  const all = await findingsOf(assurance, projectId, revision);
  const findings = all.filter(
    (one) => (!severity || severity.includes(one.severity)) && (!code || code.includes(one.code)),
  );
  const sources = revision ? await sourcesOf(assurance.database.read, revision) : [];
  const view: Static<typeof SourceAudit> = {
    revision: revision?.number ?? 0,
    sources: sources.map(sourceView),
    findings,
    summary: summaryOf(findings),
  };
  const isSarif = format === 'sarif';
  const text = JSON.stringify(isSarif ? writeSarif(findings) : view);
  const mediaType = isSarif ? 'application/sarif+json' : 'application/json';
  return made<typeof view>({ text, mediaType, etag: etagOf(view.revision, text) });
}

async function findingsOf(
  { graphs, states, database, tokens }: Assurance,
  projectId: string,
  revision: RevisionRow | undefined,
): Promise<Finding[]> {
  const found = revision ? await graphs.findings(revision) : [];
  const latest = tokens.project(projectId)?.revision ?? 0;
  if ((revision?.number ?? 0) !== latest) return found;
  const more = await assuranceFindings(database.read, await states.of(projectId));
  return more.length === 0 ? found : completeFindings([...found, ...more]);
}

function summaryOf(findings: readonly Finding[]) {
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length;
  const codes = [...Map.groupBy(findings, ({ code }) => code)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    codes: Object.fromEntries(codes.map(([code, { length }]) => [code, length])),
  };
}
