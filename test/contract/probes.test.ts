// Liveness and readiness, and the page of metrics.
import { describe, expect, test } from 'bun:test';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';

interface Readiness {
  status: string;
  version?: string;
  checks?: Record<string, { status: string }[]>;
}

describe('GET /health [PQRS-87]', () => {
  flow(
    'tells version and uptime to every token',
    { needs: ['srs', 'agent', 'widget', 'demo'] },
    async (api) => {
      for (const as of ['owner', 'srs', 'agent', 'widget', 'demo'] as const) {
        const answer = (await api.get('/health', { as })).must(200);
        expect(answer.header('content-type')).toBe('application/json');
        const body = answer.json();
        expect(Object.keys(body)).toEqual(['status', 'version', 'uptimeMs']);
        expect(body).toMatchObject({
          status: 'pass',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        });
        expect(body.uptimeMs).toBeInteger();
      }
    },
  );
});

describe('GET /ready [PQRS-87]', () => {
  flow('tells each check with its figure', { needs: ['srs', 'agent'] }, async (api) => {
    for (const as of ['owner', 'srs', 'agent'] as const) {
      const answer = await api.get('/ready', { as });
      if (api.target.own) answer.must(200);
      expect(answer.header('content-type')).toBe('application/health+json');
      const { status, version, checks } = answer.json<Readiness>();
      expect(['pass', 'warn', 'fail']).toContain(status);
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
      const names = Object.keys(checks ?? {}).join(' ');
      for (const what of ['database', 'files', 'migrations', 'disk', 'draining', 'backup'])
        expect(names).toContain(what);
      for (const [check] of Object.values(checks ?? {}))
        expect(['pass', 'warn', 'fail']).toContain(check!.status);
    }
  });

  flow('tells a widget or a demo the status alone', { needs: ['widget', 'demo'] }, async (api) => {
    for (const as of ['widget', 'demo'] as const) {
      const answer = await api.get('/ready', { as });
      expect(Object.keys(answer.json())).toEqual(['status']);
      expect(answer.header('content-type')).toBe('application/health+json');
    }
  });
});

describe('open probes [PQRS-87]', () => {
  test('answer without a token, the readiness with its status alone; nothing else does', async () => {
    const instance = await openInstance({ 'open-probes': true });
    for (const prefix of ['/api', '/api/v1']) {
      const health = await instance.fetch(`${prefix}/health`);
      expect(health.status).toBe(200);
      const ready = await instance.fetch(`${prefix}/ready`);
      expect(ready.status).toBe(200);
      expect(Object.keys((await ready.json()) as object)).toEqual(['status']);
      expect((await instance.fetch(`${prefix}/issues`)).status).toBe(401);
      for (const path of ['/health', '/ready']) {
        expect((await instance.fetch(prefix + path, { token: 'nonsense' })).status).toBe(401);
        expect((await instance.fetch(prefix + path, { method: 'POST' })).status).toBe(405);
      }
    }
    await instance.close();
  });
});

describe('/metrics [PQRS-87]', () => {
  flow(
    'is for an owner of the instance',
    {
      needs: ['plain', 'srs', 'widget', 'other', 'revoked'],
      ownBecause: 'the token may be no owner of the instance',
      compare: false,
    },
    async (api) => {
      const page = (await api.follow('/metrics', { as: 'owner' })).must(200);
      expect(page.header('content-type')).toStartWith('text/plain');
      expect(page.text).toMatch(
        /^pqrs_request_duration_seconds_count\{operation="\w+",status="\d+"\} \d+$/m,
      );
      const families = readPrometheusText(page.text);
      for (const name of [
        ...['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds'],
        ...['nodejs_eventloop_lag_p99_seconds', 'pqrs_uptime_seconds', 'pqrs_requests_under_way'],
        ...['pqrs_commit_duration_seconds', 'pqrs_write_queue_length', 'pqrs_disk_free_bytes'],
        ...['pqrs_files', 'pqrs_files_bytes', 'pqrs_leases_open', 'pqrs_streams_open'],
        ...['pqrs_search_waiting_rows', 'pqrs_backup_age_seconds'],
      ])
        expect(families.get(name)?.samples.length, name).toBeGreaterThan(0);
      for (const as of ['plain', 'srs', 'widget', 'other'] as const) {
        (await api.follow('/metrics', { as })).mustBe(403, 'forbidden');
      }
      for (const as of ['revoked', null] as const) {
        (await api.follow('/metrics', { as })).mustBe(401, 'unauthorized');
      }
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = (await api.follow('/metrics', { as: 'owner', method })).mustBe(
          405,
          'method_not_allowed',
        );
        expect(answer.header('allow')).toBe('GET, HEAD');
      }
      expect(page.text).not.toContain('pqrs_0');
    },
  );
});
