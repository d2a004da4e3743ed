// The route of the audit of a project's sources: the findings of the sources were made with the
// revision; those of overlays and verdicts are of this moment.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { invalid } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { encodeParts, jsonParts } from '../../model/parts.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import {
  compareFindings,
  completeFindings,
  type Finding,
} from '../../requirements/audit/findings.ts';
import { SourceAudit, SourceAuditSummary } from '../../requirements/audit/model.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { revisionAsked } from '../../requirements/projects/baselines.ts';
import { revisionQuery } from '../../requirements/projects/model.ts';
import { sourcesOf, sourceView } from '../../requirements/projects/revisions.ts';
import { FINDING_CODES, FINDINGS, type Severity } from '../../requirements/sources/findings.ts';
import { type Pause, runInSlices } from '../../runtime/scheduler.ts';
import type { RevisionRow, RevisionSourceRow } from '../../store/tables/requirements.ts';
import { VERSION } from '../../version.ts';
import type { Assurance } from '../assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { assuranceFindings } from './findings.ts';

const AuditQuery = closed({
  ...revisionQuery,
  format: Type.Optional(oneOf(['json', 'sarif'], 'Of the answer; `json` by default')),
  severity: Type.Optional(Type.Array(oneOf(['error', 'warning', 'info']))),
  code: Type.Optional(Type.Array(oneOf(FINDING_CODES))),
  path: Type.Optional(
    Type.Array(Type.String(), { description: 'Of a source: it and its findings alone' }),
  ),
  view: Type.Optional(oneOf(['summary'], 'Figures alone')),
});

const SarifLog = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    version: oneOf(['2.1.0']),
    runs: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'SarifLog', description: 'A log of SARIF 2.1.0 (OASIS) with one run' },
);

const Answer = Type.Union([SourceAudit, SourceAuditSummary]);
type Answer = Static<typeof Answer>;

const CODES_LIST = FINDING_CODES.map((code) => {
  const [severity, meaning] = FINDINGS[code];
  return `- \`${code}\` (${severity}): ${meaning}`;
}).join('\n');

const NOTHING = { errors: 0, warnings: 0, infos: 0, codes: {} };

const AUDIT_DOCS: OperationDocs = {
  description:
    'What is wrong or weak in the sources of a revision, the worst first; of the latest also what is so in its edits, ' +
    'additions and verdicts: `edit_conflicted`, `addition_absorbed`, `changed_since_validation`, and `dangling_reference` where ' +
    'what an active addition is linked to, or stands below, has left. `view=summary` answers figures alone, `format=sarif` is ' +
    'SARIF 2.1.0.\n\n' +
    `The codes, each with its usual severity:\n\n${CODES_LIST}`,
  replies: {
    200: {
      description: 'The findings',
      example: { revision: 1, sources: [], findings: [], summary: NOTHING },
      alsoAs: {
        'application/sarif+json': { schema: SarifLog, example: { version: '2.1.0', runs: [] } },
      },
      headers: ['ETag'],
    },
  },
  problems: ['not_found'],
};

export const auditRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'source-audit', prefix: '/srs-source-audit' })
    .use(api(assurance))
    .get('', ({ caller, query, pause }) => readAudit(assurance, caller.projectId, query, pause), {
      operation: { id: 'getSrsSourceAudit', docs: AUDIT_DOCS },
      query: queryOf(AuditQuery),
      response: answers({ 200: Answer }),
    });

async function readAudit(
  assurance: Assurance,
  projectId: string,
  { format, severity, code, path, view, ...asked }: Static<typeof AuditQuery>,
  pause: Pause,
) {
  if (view && format) throw invalid('/format', 'does not go with view=summary');
  const { read } = assurance.database;
  const number = await revisionAsked(read, projectId, asked);
  const revision = await readRevision(assurance, projectId, number);
  const all = await findingsOf(assurance, projectId, revision);
  const findings = all.filter(
    (one) =>
      (!severity || severity.includes(one.severity)) &&
      (!code || code.includes(one.code)) &&
      (!path || path.includes(one.path)),
  );
  const sources = (revision ? await sourcesOf(read, revision) : []).filter(
    (source) => !path || path.includes(source.path),
  );
  const answer = async (
    body: Answer | ReturnType<typeof writeSarif>,
    mediaType = 'application/json',
  ) => {
    const encoded = await runInSlices(encodeParts(head.revision, jsonParts(body)), pause);
    return made<Answer>({ ...encoded, mediaType });
  };
  const head = { revision: revision?.number ?? 0 };
  const summary = summaryOf(findings);
  if (view) return answer({ ...head, sources: countSources(sources), summary });
  if (format === 'sarif') return answer(writeSarif(findings), 'application/sarif+json');
  return answer({ ...head, sources: sources.map(sourceView), findings, summary });
}

function countSources(sources: readonly Pick<RevisionSourceRow, 'status'>[]) {
  const count = (wanted: string) => sources.filter(({ status }) => status === wanted).length;
  return {
    total: sources.length,
    parsed: count('parsed'),
    partial: count('partial'),
    failed: count('failed'),
    ignored: count('ignored'),
  };
}

/** With those of this moment, found once for a state, and dropped with those of the revision. */
const completed = new WeakMap<readonly Finding[], { state: AssuranceState; all: Finding[] }>();

async function findingsOf(
  { graphs, states, database, tokens }: Assurance,
  projectId: string,
  revision: RevisionRow | undefined,
): Promise<Finding[]> {
  const found = revision ? await graphs.findings(revision) : [];
  const latest = tokens.project(projectId)?.revision ?? 0;
  if ((revision?.number ?? 0) !== latest) return found;
  const state = await states.of(projectId);
  // A new one may have come meanwhile.
  if (state.effective.revision?.number !== revision?.number) return found;
  const known = completed.get(found);
  if (known?.state === state) return known.all;
  const more = await assuranceFindings(database.read, state);
  // None of these has the subject of one of the sources, so that the fingerprints of those stay.
  const all =
    more.length === 0 ? found : [...found, ...completeFindings(more)].sort(compareFindings);
  completed.set(found, { state, all });
  return all;
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

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** A log with one run; each finding is a result with its place and stable fingerprint. */
export function writeSarif(findings: readonly Finding[]) {
  const rules = [...new Set(findings.map(({ code }) => code))].sort();
  const index = new Map(rules.map((code, at) => [code, at]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'pqrs',
            version: VERSION,
            rules: rules.map((id) => ({ id, shortDescription: { text: id.replaceAll('_', ' ') } })),
          },
        },
        results: findings.map(({ code, severity, path, line, itemId, detail, fingerprint }) => ({
          ruleId: code,
          ruleIndex: index.get(code),
          level: LEVELS[severity],
          message: { text: detail },
          partialFingerprints: { 'pqrs/v1': fingerprint },
          locations: locationsOf(path, line, itemId),
        })),
      },
    ],
  };
}

function locationsOf(path: string, line: number, itemId: string | null): object[] {
  if (path === '' && itemId === null) return [];
  const artifactLocation = { uri: path.split('/').map(encodeURIComponent).join('/') };
  const region = line > 0 ? { startLine: line } : undefined;
  const physicalLocation = path === '' ? undefined : { artifactLocation, region };
  const logicalLocations = itemId === null ? undefined : [{ name: itemId }];
  return [{ physicalLocation, logicalLocations }];
}
