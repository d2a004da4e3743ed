// The audit as answers show it.
import { type Static, Type } from '@sinclair/typebox';
import { nullable, oneOf } from '../../model/schemas.ts';
import { SourceBody } from '../projects/model.ts';
import { FINDING_CODES } from '../sources/findings.ts';

const FindingBody = Type.Object(
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
