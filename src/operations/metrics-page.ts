// `/metrics`: counts and times in the text format of Prometheus, for owners of the instance.
import { Elysia } from 'elysia';
import { refusal } from '../http/access-log.ts';
import { insufficientScope } from '../http/caller.ts';
import type { Context } from '../http/context.ts';
import { servePage } from '../http/methods.ts';
import { requestIdOf } from '../http/request-id.ts';

/** An Elysia plugin that serves the page. */
export function metricsPage(context: Context) {
  const plugin = new Elysia({ name: 'metrics' });
  plugin.get(servePage('/metrics'), ({ request }) => {
    const requestId = requestIdOf(request);
    try {
      const now = context.clock();
      const found = context.tokens.authenticate(request.headers.get('authorization'), now);
      if (!found.ok) return context.guard.refuse(request, now, found.token);
      const { capabilities, instance } = found.token;
      if (!instance || !capabilities.has('project:owner')) throw insufficientScope({ allow: [] });
      return new Response(metricsText(context), {
        headers: {
          'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          'X-Request-Id': requestId,
        },
      });
    } catch (error) {
      return refusal(context.accessLog, request, error, '/metrics');
    }
  });
  return plugin;
}

function metricsText({ metrics, requests, streams, clock, startedAt }: Context): string {
  const lines = [
    '# HELP pqrs_uptime_seconds Seconds since the start.',
    '# TYPE pqrs_uptime_seconds gauge',
    `pqrs_uptime_seconds ${Math.round((clock() - startedAt) / 1000)}`,
    '# HELP pqrs_requests_under_way Requests that are not answered yet.',
    '# TYPE pqrs_requests_under_way gauge',
    `pqrs_requests_under_way ${requests.inside + streams.inside}`,
    '# HELP pqrs_resident_memory_bytes Memory of the process.',
    '# TYPE pqrs_resident_memory_bytes gauge',
    `pqrs_resident_memory_bytes ${process.memoryUsage.rss()}`,
    '# HELP pqrs_request_duration_seconds Time from a request to its answer.',
    '# TYPE pqrs_request_duration_seconds histogram',
  ];
  for (const { operation, status, count, sumMs, buckets } of metrics.series()) {
    const labels = `operation="${operation}",status="${status}"`;
    for (const [ms, n] of buckets)
      lines.push(`pqrs_request_duration_seconds_bucket{${labels},le="${ms / 1000}"} ${n}`);
    lines.push(
      `pqrs_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
      `pqrs_request_duration_seconds_sum{${labels}} ${(sumMs / 1000).toFixed(6)}`,
      `pqrs_request_duration_seconds_count{${labels}} ${count}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
