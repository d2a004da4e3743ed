// The audit as answers show it.
import { type Static, Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../model/docs.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { VERSION } from '../../version.ts';
import { FINDING_CODES, FINDINGS, type Severity } from '../sources/findings.ts';
import { SOURCE_FORMATS } from '../sources/model.ts';

export const FindingBody = Type.Object(
  {
    code: oneOf(FINDING_CODES),
    severity: oneOf(['error', 'warning', 'info']),
    path: Type.String(),
    line: Type.Integer({ description: '0 where it concerns the whole file' }),
    itemId: nullable(Type.String()),
    relatedIds: Type.Array(Type.String()),
    detail: Type.String(),
    fingerprint: Type.String({
      description: '`a1:` and a hash without lines: it stays while the text around it moves',
    }),
  },
  { title: 'Finding' },
);
export type Finding = Static<typeof FindingBody>;

export const SourceBody = Type.Object(
  {
    path: Type.String(),
    format: nullable(oneOf(SOURCE_FORMATS)),
    sha256: Type.String(),
    bytes: Type.Integer(),
    status: oneOf(['parsed', 'partial', 'failed', 'ignored']),
    items: Type.Integer(),
  },
  { title: 'Source', additionalProperties: true },
);

const Count = Type.Integer();

export const SourceAudit = Type.Object(
  {
    revision: Type.Integer(),
    sources: Type.Array(SourceBody),
    findings: Type.Array(FindingBody),
    summary: Type.Object({
      errors: Count,
      warnings: Count,
      infos: Count,
      codes: Type.Record(Type.String(), Count),
    }),
  },
  { title: 'SourceAudit' },
);

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

const SarifLog = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    version: oneOf(['2.1.0']),
    runs: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'SarifLog', description: 'A log of SARIF 2.1.0 (OASIS) with one run' },
);

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

const CODES_LIST = FINDING_CODES.map((code) => {
  const [severity, meaning] = FINDINGS[code];
  return `- \`${code}\` (${severity}): ${meaning}`;
}).join('\n');

const NOTHING = { errors: 0, warnings: 0, infos: 0, codes: {} };

export const AUDIT_DOCS: OperationDocs = {
  description:
    'What is wrong or weak in the sources of a revision, the worst first; of the latest also what is so in its edits, ' +
    'additions and verdicts: `edit_conflicted`, `addition_absorbed`, `changed_since_validation`, and `dangling_reference` where ' +
    'what an active addition is linked to, or stands below, has left. `format=sarif` is SARIF 2.1.0.\n\n' +
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
