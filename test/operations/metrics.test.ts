// The families of `/metrics`, and that the board and the alert rules ask for none that there is not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Instance, openInstance } from '../support/instance.ts';
import { type Family, readPrometheusText } from '../support/prometheus-text.ts';

const FOLDER = join(import.meta.dir, '..', '..', 'scripts', 'operations');

let instance: Instance;
let token: string;
beforeAll(async () => {
  instance = await openInstance();
  ({ token } = await instance.makeProject('default'));
});
afterAll(() => instance.close());

async function metrics(): Promise<Map<string, Family>> {
  const answer = await instance.fetch('/metrics', { token });
  expect(answer.status).toBe(200);
  return readPrometheusText(await answer.text());
}

/** The one value of a family without labels, or of the sample with these. */
function valueIn(families: Map<string, Family>, name: string, labels: object = {}) {
  const samples = families.get(name)?.samples ?? [];
  return samples.find((one) => JSON.stringify(one.labels) === JSON.stringify(labels))?.value;
}

describe('/metrics [PQRS-87]', () => {
  test('counts requests by operation and status, refusals by reason', async () => {
    await instance.fetch('/api/issues', { token });
    await instance.fetch('/api/issues');
    await instance.fetch('/api/nowhere');
    const families = await metrics();
    const durations = families.get('pqrs_request_duration_seconds');
    expect(durations?.type).toBe('histogram');
    for (const status of ['200', '401']) {
      const own = durations?.samples.find(
        (one) => one.name.endsWith('_count') && one.labels.status === status,
      );
      expect(own).toMatchObject({ labels: { operation: 'listIssues' }, value: 1 });
    }
    expect(valueIn(families, 'pqrs_refusals_total', { code: 'unauthorized' })).toBe(1);
    expect(valueIn(families, 'pqrs_refusals_total', { code: 'not_found' })).toBe(1);
  });

  test('shows process, commits, disk, files, leases, streams, search and backup', async () => {
    const families = await metrics();
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes'])
      expect(valueIn(families, name)).toBeGreaterThan(0);
    const commits = families.get('pqrs_commit_duration_seconds')?.samples.at(-1);
    expect(commits).toMatchObject({ name: 'pqrs_commit_duration_seconds_count' });
    expect(commits?.value).toBeGreaterThan(0);
    // The service may write of its own accord.
    expect(valueIn(families, 'pqrs_write_queue_length')).toBeGreaterThanOrEqual(0);
    for (const name of ['database_bytes', 'wal_bytes', 'disk_free_bytes'])
      expect(valueIn(families, `pqrs_${name}`)).toBeGreaterThan(0);
    for (const name of [
      'commit_failures_total',
      'files',
      'files_bytes',
      'leases_open',
      'streams_open',
      'requests_under_way',
    ])
      expect(valueIn(families, `pqrs_${name}`)).toBe(0);
    expect(valueIn(families, 'pqrs_search_waiting_rows', { index: 'issues' })).toBe(0);
    expect(valueIn(families, 'pqrs_backup_age_seconds')).toBe(Number.POSITIVE_INFINITY);
    expect(families.get('pqrs_faults')?.samples).toEqual([]);
  });

  test('shows faults that were reported', async () => {
    instance.evidence.faults.report('files:sweep', { status: 'fail', output: 'stopped' });
    const labels = { check: 'files:sweep', status: 'fail' };
    expect(valueIn(await metrics(), 'pqrs_faults', labels)).toBe(1);
    instance.evidence.faults.clear('files:sweep');
  });
});

describe('scripts/operations', () => {
  /** The families that some expressions name. */
  async function expectExported(expressions: string[]) {
    const families = await metrics();
    const named = expressions.flatMap((one) => one.match(/\b(?:pqrs|process|nodejs)_\w+/g) ?? []);
    expect(named.length).toBeGreaterThan(5);
    const unknown = named.filter(
      (name) => !families.has(name) && !families.has(name.replace(/_(?:bucket|sum|count)$/, '')),
    );
    expect(unknown).toEqual([]);
  }

  test('the board is JSON whose panels ask for what there is', async () => {
    const board = JSON.parse(readFileSync(join(FOLDER, 'grafana-board.json'), 'utf8')) as {
      panels: { id: number; title: string; targets: { expr: string }[] }[];
    };
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    await expectExported(board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  });

  test('the alert rules are YAML, each with a severity and a summary', async () => {
    const file = parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as {
      groups: { rules: { alert: string; expr: string; labels: object; annotations: object }[] }[];
    };
    const rules = file.groups.flatMap((group) => group.rules);
    for (const { labels, annotations } of rules) {
      expect(labels).toEqual({ severity: expect.stringMatching(/^(?:critical|warning)$/) });
      expect(annotations).toEqual({ summary: expect.any(String) });
    }
    await expectExported(rules.map(({ expr }) => expr));
  });
});
