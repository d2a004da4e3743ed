// Findings as SARIF 2.1.0 (OASIS), for the tools that show code scans.
import { Type } from '@sinclair/typebox';
import { oneOf } from '../../model/schemas.ts';
import { VERSION } from '../../version.ts';
import type { Severity } from '../sources/findings.ts';
import type { Finding } from './finding.ts';

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

export const SarifLog = Type.Object(
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
