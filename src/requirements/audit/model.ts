// The audit as answers show it.
import { type Static, Type } from '@sinclair/typebox';
import { nullable, oneOf } from '../../model/schemas.ts';
import { FINDING_CODES } from '../sources/findings.ts';
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

const summary = Type.Object(
  {
    errors: Count,
    warnings: Count,
    infos: Count,
    codes: Type.Record(Type.String(), Count),
  },
  { title: 'AuditCounts' },
);

export const SourceAudit = Type.Object(
  {
    revision: Type.Integer(),
    sources: Type.Array(SourceBody),
    findings: Type.Array(FindingBody),
    summary,
  },
  { title: 'SourceAudit' },
);

export const SourceAuditSummary = Type.Object(
  {
    revision: Type.Integer(),
    sources: Type.Object({
      total: Count,
      parsed: Count,
      partial: Count,
      failed: Count,
      ignored: Count,
    }),
    summary,
  },
  { title: 'SourceAuditSummary', description: 'With `view=summary`' },
);
