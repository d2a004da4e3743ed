// What `/metrics` shows, read when it is asked for.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { count, isNull, sum } from 'drizzle-orm';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Evidence } from '../../evidence/evidence.ts';
import type { Histogram } from '../../model/metrics.ts';
import { LAST_BACKUP, readMoment } from '../../store/moments.ts';
import { leases } from '../../store/tables/agents.ts';
import { attachments } from '../../store/tables/evidence.ts';

const FILES_MS = 5 * 60_000;
const NODE_ONLY = /^nodejs_(?:active|heap_space|version)_/;

type Labels = Record<string, string | number>;
type Reading = number | [Labels, number][];

/** Counts of what is under way, of which HTTP has one for each kind of request. */
type UnderWay = Record<'requests' | 'streams' | 'heartbeats', { readonly inside: number }>;

export function createRegistry(context: Evidence & UnderWay): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  // What Bun does not measure.
  for (const { name } of registry.getMetricsAsArray())
    if (NODE_ONLY.test(name)) registry.removeSingleMetric(name);
  const { clock, config, database, files, requests, streams, heartbeats, metrics } = context;

  function add(
    Kind: typeof Counter | typeof Gauge,
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
    labelNames: string[] = [],
  ): void {
    new Kind({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        try {
          const reading = await read();
          const readings: [Labels, number][] =
            typeof reading === 'number' ? [[{}, reading]] : reading;
          for (const [labels, value] of readings) this.inc(labels, value);
        } catch {
          // What cannot be read is not shown.
          if (labelNames.length === 0) this.remove();
        }
      },
    });
  }
  const gauge = add.bind(undefined, Gauge);
  const counter = add.bind(undefined, Counter);

  gauge('pqrs_uptime_seconds', 'Seconds since the start.', () =>
    Math.round((clock() - context.startedAt) / 1000),
  );
  gauge(
    'pqrs_requests_under_way',
    'Requests that are not answered yet.',
    () => requests.inside + streams.inside + heartbeats.inside,
  );
  gauge('pqrs_streams_open', 'Long requests and event streams.', () => streams.inside);
  addHistogram(
    registry,
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
  addHistogram(
    registry,
    'pqrs_commit_duration_seconds',
    'Time of a commit of the database.',
    () => [[{}, database.writes.commits]],
  );
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
    const path = join(resolve(config.dataDir), 'pqrs.db');
    gauge('pqrs_database_bytes', 'Size of the database file.', () => sizeOf(path));
    gauge('pqrs_wal_bytes', "Size of the database's log file.", () => sizeOf(`${path}-wal`));
  }
  gauge('pqrs_disk_free_bytes', 'Space that the disk of the files has left.', () =>
    files.freeBytes(),
  );
  const attached = cached(FILES_MS, async () => {
    const wanted = { files: count(), bytes: sum(attachments.bytes) };
    return (await database.read.select(wanted).from(attachments))[0];
  });
  gauge('pqrs_files', 'Attachments, as of the last 5 minutes.', async () => {
    return (await attached())?.files ?? 0;
  });
  gauge('pqrs_files_bytes', 'Size of all attachments, as of the last 5 minutes.', async () => {
    return Number((await attached())?.bytes ?? 0);
  });
  gauge('pqrs_leases_open', 'Leases of agents that have not ended.', () =>
    database.read.$count(leases, isNull(leases.endedAt)),
  );
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
    const at = await readMoment(database.read, LAST_BACKUP);
    return at === undefined ? Number.POSITIVE_INFINITY : (clock() - at) / 1000;
  });
  gauge(
    'pqrs_faults',
    'Faults that somebody has to mend, each a check in /ready.',
    () => [...context.faults.list()].map(([check, { status }]) => [{ check, status }, 1]),
    ['check', 'status'],
  );
  return registry;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

/** prom-client has none whose counts are made elsewhere; of a metric it asks no more than this. */
function addHistogram(
  registry: Registry,
  name: string,
  help: string,
  read: () => [Labels, Histogram][],
): void {
  const described = { name, help, type: 'histogram', aggregator: 'sum' };
  const metric = {
    ...described,
    get: async () => ({
      ...described,
      values: read().flatMap(([labels, durations]) => {
        const { count, sumMs, buckets } = durations.snapshot();
        const bounds: [number | string, number][] = buckets.map(([ms, n]) => [ms / 1000, n]);
        return [
          ...[...bounds, ['+Inf', count] as const].map(([le, value]) => {
            return { metricName: `${name}_bucket`, labels: { ...labels, le }, value };
          }),
          { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
          { metricName: `${name}_count`, labels, value: count },
        ];
      }),
    }),
  };
  registry.registerMetric(metric as unknown as Gauge);
}

/** A read that fails is shown as nothing until the next one. */
function cached<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let at = Number.NEGATIVE_INFINITY;
  let last: Promise<T>;
  return () => {
    if (performance.now() - at > ms) {
      at = performance.now();
      last = read();
    }
    return last;
  };
}
