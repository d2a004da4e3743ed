// Findings as SARIF 2.1.0 (OASIS), for the tools that show code scans.
import { VERSION } from '../../version.ts';
import type { Severity } from '../sources/findings.ts';
import type { Finding } from './finding.ts';

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

function locationsOf(path: string, line: number, itemId: string | null) {
  const physicalLocation = {
    artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/') },
    ...(line > 0 ? { region: { startLine: line } } : {}),
  };
  if (path === '' && itemId === null) return [];
  return [
    {
      ...(path === '' ? {} : { physicalLocation }),
      ...(itemId === null ? {} : { logicalLocations: [{ name: itemId }] }),
    },
  ];
}
