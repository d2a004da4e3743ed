// Reports that other projects wrote, posted as they are: the run holds what each states.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { flow } from '../support/flow.ts';
import { sharedData } from '../support/shared-data.ts';
import { SHARED_REPORTS, totalsOf } from '../support/shared-reports.ts';
import { AGENT, codesOf, PATH, type Run, readOne } from '../support/test-runs.ts';

test('every report of the shared data is among these', () => {
  const folders = ['junit', 'ctrf'].map((name) => [name, sharedData(name)] as const);
  for (const [name, folder] of folders) {
    if (folder === undefined) continue;
    const files = readdirSync(folder, { recursive: true }).map((path) => `${name}/${path}`);
    const reports = files.filter((path) => /\.(?:xml|json|tap)$/.test(path));
    const known = [...Object.keys(SHARED_REPORTS), 'ctrf/ctrf.schema.json'];
    expect(reports.filter((path) => !known.includes(path))).toEqual([]);
  }
});

for (const [name, expected] of Object.entries(SHARED_REPORTS)) {
  flow(`${name} [PQRS-42]`, { ...AGENT, compare: false }, async (api) => {
    const path = sharedData(...name.split('/'));
    if (path === undefined) return;
    const type = name.endsWith('.json') ? 'application/json' : 'application/xml';
    const sent = await api.send('POST', PATH, {
      ...{ as: 'agent', headers: { 'content-type': type } },
      query: { externalId: `${name} ${api.unique}` },
      body: new Uint8Array(readFileSync(path)),
    });
    const run = sent.must(201).json<Run>();
    expect(run.totals).toEqual(totalsOf(expected));
    expect(run.status).toBe(expected.status);
    expect(codesOf(run)).toEqual(expected.codes ?? []);
    const { results } = await readOne(api, run.id);
    expect(results.items).toHaveLength(Math.min(200, expected.tests));
    expect(new Set(results.items.map(({ testKey }) => testKey)).size).toBe(results.items.length);
  });
}
