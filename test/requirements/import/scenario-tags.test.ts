// Which stories the tags of scenarios name: those that there are, whatever their ids look like.
import { expect, test } from 'bun:test';
import { readSources } from '../../support/read-sources.ts';
import { filesOf } from '../../support/source-files.ts';

const FEATURE = `@R_LOGIN @12 @smoke
Feature: Logging in
  @US-3 @R_LOGIN
  Scenario: By pin
    Given a pin
`;

test('tags name stories by ids of any form [PQRS-11]', () => {
  const ids = ['R_LOGIN', '12', 'US-3', 'SECTION'];
  const nodes = ids.map((id) => ({ id, kind: id === 'SECTION' ? 'section' : 'story', title: id }));
  const srs = { format: 'pqrs-srs', version: 1, nodes, edges: [] };
  const files = filesOf({ 'a.feature': FEATURE, 'b.json': JSON.stringify(srs) });
  const read = readSources(
    files.map((file) => ({ ...file, format: null })),
    ['title'],
  );
  const [scenario] = read.catalog.scenarios;
  expect(scenario?.tags).toEqual(['R_LOGIN', '12', 'smoke', 'US-3']);
  expect([...(scenario?.storyIds ?? [])].sort()).toEqual(['12', 'R_LOGIN', 'US-3']);
  const told = read.findings.filter(({ path }) => path === 'a.feature');
  expect(told).toEqual([]);
});
