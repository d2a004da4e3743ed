// `/metrics`: counts and times in the text format of Prometheus, for owners of the instance.
import { Elysia } from 'elysia';
import type { Registry } from 'prom-client';
import { insufficientScope } from '../../access/caller.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { refusal } from '../../http/api/access-log.ts';
import { servePage } from '../../http/api/methods.ts';
import { requestIdOf } from '../../http/api/request-id.ts';

/** An Elysia plugin that serves the page. */
export function metricsPage(context: Evidence) {
  let registry: Promise<Registry> | undefined;
  const plugin = new Elysia({ name: 'metrics' });
  plugin.get(servePage('/metrics'), async ({ request }) => {
    const requestId = requestIdOf(request);
    try {
      const now = context.clock();
      const found = context.tokens.authenticate(request.headers.get('authorization'), now);
      if (!found.ok) return context.guard.refuse(request, now, found.token);
      const { capabilities, instance } = found.token;
      if (!instance || !capabilities.has('project:owner')) throw insufficientScope({ allow: [] });
      // Nobody waits for it at the start, and what watches the process runs where somebody looks.
      registry ??= import('./metrics.ts').then((one) => one.createRegistry(context));
      return new Response(await (await registry).metrics(), {
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
