// The probes, which rest on nothing but the context, so that they answer before all else is open; and
// `/metrics`: counts and times in the text format of Prometheus, for owners of the instance.
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Registry } from 'prom-client';
import { insufficientScope } from '../../access/caller.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { refusal } from '../../http/api/access-log.ts';
import { api } from '../../http/api/api.ts';
import type { Context, Served } from '../../http/api/context.ts';
import { servePage } from '../../http/api/problem.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, ok, reply } from '../../http/api/reply.ts';
import { requestIdOf } from '../../http/api/request.ts';
import { VERSION } from '../../version.ts';
import { checkReadiness, Readiness } from './readiness.ts';

const Health = Type.Object(
  {
    status: Type.Literal('pass'),
    version: Type.String({ description: 'Of the service' }),
    uptimeMs: Type.Integer({ minimum: 0, description: 'Since the start' }),
  },
  { title: 'Health' },
);

const HEALTH_DOCS = {
  description: 'Whether the process answers. It does not touch the database.',
  replies: { 200: { description: 'It does' } },
};

const mediaType = 'application/health+json';

const READY_DOCS = {
  description:
    'Whether the service can do its work: each check with its figure. A widget or demo token sees the status alone.',
  replies: {
    200: { description: 'It can', mediaType },
    503: { description: 'It cannot', mediaType },
  },
};

export const probeRoutes = (context: Context) =>
  new Elysia({ name: 'probes' })
    .use(api(context))
    .get(
      '/health',
      () => {
        const uptimeMs = Math.max(0, Math.round(context.clock() - context.startedAt));
        return ok({ status: 'pass' as const, version: VERSION, uptimeMs });
      },
      {
        operation: { id: 'getHealth', docs: HEALTH_DOCS, open: true, slots: 'probes' },
        query: noQuery,
        response: answers({ 200: Health }),
      },
    )
    .get(
      '/ready',
      async ({ caller }) => {
        const { status, checks } = await checkReadiness(context);
        const isPublic = caller.capability === 'widget:write' || caller.capability === 'read:demo';
        const body = isPublic ? { status } : { status, version: VERSION, checks };
        const headers = { 'Cache-Control': 'no-store' };
        if (status !== 'fail') return reply(200, body, { mediaType, headers });
        return reply(503, body, { mediaType, headers: { ...headers, 'Retry-After': '5' } });
      },
      {
        operation: { id: 'getReadiness', docs: READY_DOCS, open: true, slots: 'probes' },
        query: noQuery,
        response: answers({ 200: Readiness, 503: Readiness }),
      },
    );

export function metricsPage(context: Served<Evidence>) {
  let registry: Promise<Registry> | undefined;
  return new Elysia({ name: 'metrics' }).get(servePage('/metrics'), async ({ request }) => {
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
          'X-Request-Id': requestIdOf(request),
        },
      });
    } catch (error) {
      return refusal(context.accessLog, request, error, '/metrics');
    }
  });
}
