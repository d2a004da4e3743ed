// Findings in SARIF: where they are, as far as they are anywhere.
import { expect, test } from 'bun:test';
import { writeSarif } from '../../../src/assurance/overlay/audit-routes.ts';

const FINDING = {
  ...{ code: 'edit_conflicted', severity: 'error' as const, detail: 'It is.', fingerprint: 'a1' },
  ...{ relatedIds: [] },
};

function locationsOf(path: string, line: number, itemId: string | null) {
  const finding = { ...FINDING, path, line, itemId } as Parameters<typeof writeSarif>[0][number];
  return writeSarif([finding]).runs[0]?.results[0]?.locations;
}

test('a finding is at its line, in its file, or at its item alone', () => {
  const logicalLocations = [{ name: 'US-1' }];
  expect(locationsOf('a b/c.md', 3, 'US-1')).toEqual([
    {
      physicalLocation: { artifactLocation: { uri: 'a%20b/c.md' }, region: { startLine: 3 } },
      logicalLocations,
    },
  ]);
  expect(locationsOf('c.md', 0, null)).toEqual([
    { physicalLocation: { artifactLocation: { uri: 'c.md' } } },
  ]);
  expect(locationsOf('', 0, 'US-1')).toEqual([{ logicalLocations }]);
  expect(locationsOf('', 0, null)).toEqual([]);
});
