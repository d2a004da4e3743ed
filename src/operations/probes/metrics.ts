// What `/metrics` shows, read when it is asked for.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { count, eq, isNull, sum } from 'drizzle-orm';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Evidence } from '../../evidence/evidence.ts';
import type { Histogram } from '../../histogram.ts';
import { leases } from '../../store/tables/agents.ts';
import { attachments } from '../../store/tables/evidence.ts';
import { instance } from '../../store/tables/projects.ts';
import { LAST_BACKUP } from './readiness.ts';

const FILES_MS = 5 * 60_000;

const NODE_ONLY = /^nodejs_(?:active|heap_space|version)_/;

type Labels = Record<string, string | number>;

type Reading = number | [Labels, number][];

/** Counts of what is under way, of which HTTP has one for each kind of request. */
type UnderWay = Record<'requests' | 'streams' | 'heartbeats', { readonly inside: number }>;

export function createRegistry(context: Evidence & UnderWay): Registry {
  const { clock, database, files, metrics, requests, streams, faults } = context;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // What Bun does not measure.
  for (const { name } of registry.getMetricsAsArray())
    if (NODE_ONLY.test(name)) registry.removeSingleMetric(name);

  /** A gauge that shows nothing where it cannot be read. */
  function gauge(
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
    labelNames: string[] = [],
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        try {
          const reading = await read();
          if (typeof reading === 'number') this.set(reading);
          else for (const [labels, value] of reading) this.set(labels, value);
        } catch {
          if (labelNames.length === 0) this.remove();
        }
      },
    });
  }

  function counter(
    name: string,
    help: string,
    read: () => Reading,
    labelNames: string[] = [],
  ): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        const reading = read();
        if (typeof reading === 'number') this.inc(reading);
        else for (const [labels, value] of reading) this.inc(labels, value);
      },
    });
  }

  function histogram(name: string, help: string, read: () => [Labels, Histogram][]): void {
    // prom-client has none whose counts are made elsewhere; of a metric it asks no more than this.
    const described = { name, help, type: 'histogram', aggregator: 'sum' };
    const metric = {
      ...described,
      get: async () => ({
        ...described,
        values: read().flatMap(([labels, durations]) => samplesOf(name, labels, durations)),
      }),
    };
    registry.registerMetric(metric as unknown as Gauge);
  }

  gauge('pqrs_uptime_seconds', 'Seconds since the start.', () =>
    Math.round((clock() - context.startedAt) / 1000),
  );
  gauge('pqrs_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  gauge(
    'pqrs_requests_under_way',
    'Requests that are not answered yet.',
    () => requests.inside + streams.inside + context.heartbeats.inside,
  );
  gauge('pqrs_streams_open', 'Long requests and event streams.', () => streams.inside);
  histogram(
    'pqrs_request_duration_seconds',
    'Time from a request to its answer, by operation and status.',
    () => metrics.series().map(({ durations, ...labels }) => [labels, durations]),
  );
  counter(
    'pqrs_refusals_total',
    'Requests refused or failed, by the code of the problem.',
    () => [...metrics.refusals].map(([code, value]) => [{ code }, value]),
    ['code'],
  );
  histogram('pqrs_commit_duration_seconds', 'Time of a commit of the database.', () => [
    [{}, database.writes.commits],
  ]);
  counter(
    'pqrs_commit_failures_total',
    'Commits that failed, with all writes in them.',
    () => database.writes.failed,
  );
  gauge(
    'pqrs_write_queue_length',
    'Writes that wait for their commit.',
    () => database.writes.waiting,
  );
  if (database.kind === 'file') {
    const path = join(resolve(context.config.dataDir), 'pqrs.db');
    gauge('pqrs_database_bytes', 'Size of the database file.', () => sizeOf(path));
    gauge('pqrs_wal_bytes', "Size of the database's log file.", () => sizeOf(`${path}-wal`));
  }
  gauge('pqrs_disk_free_bytes', 'Space that the disk of the files has left.', () =>
    files.freeBytes(),
  );
  const attached = remembered(FILES_MS, async () => {
    const [row] = await database.read
      .select({ files: count(), bytes: sum(attachments.bytes) })
      .from(attachments);
    return row;
  });
  gauge('pqrs_files', 'Attachments, as of the last 5 minutes.', async () => {
    return (await attached())?.files ?? 0;
  });
  gauge('pqrs_files_bytes', 'Size of all attachments, as of the last 5 minutes.', async () => {
    return Number((await attached())?.bytes ?? 0);
  });
  gauge('pqrs_leases_open', 'Leases of agents that have not ended.', async () => {
    const [row] = await database.read
      .select({ n: count() })
      .from(leases)
      .where(isNull(leases.endedAt));
    return row?.n ?? 0;
  });
  gauge(
    'pqrs_search_waiting_rows',
    'Rows that full-text search has to index yet.',
    async () => [
      [{ index: 'issues' }, await context.issuesIndex.waiting()],
      [{ index: 'system_logs' }, await context.logsIndex.waiting()],
    ],
    ['index'],
  );
  gauge('pqrs_backup_age_seconds', 'Since the last good backup; +Inf without one.', async () => {
    const [row] = await database.read.select().from(instance).where(eq(instance.name, LAST_BACKUP));
    return row ? (clock() - Number(row.value)) / 1000 : Number.POSITIVE_INFINITY;
  });
  gauge(
    'pqrs_faults',
    'Faults that somebody has to mend, each a check in /ready.',
    () => [...faults.list()].map(([check, { status }]) => [{ check, status }, 1]),
    ['check', 'status'],
  );
  return registry;
}

function samplesOf(name: string, labels: Labels, durations: Histogram) {
  const { count, sumMs, buckets } = durations.snapshot();
  const bounds = [...buckets.map(([ms, n]) => [ms / 1000, n] as const), ['+Inf', count] as const];
  return [
    ...bounds.map(([le, value]) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

function remembered<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.at > ms) {
      last = { at: performance.now(), value: read() };
      last.value.catch(() => {
        last = undefined;
      });
    }
    return last.value;
  };
}
