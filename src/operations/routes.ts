// Routes of the operations: health and readiness.
import { Type } from '@sinclair/typebox';
import type { Context } from '../http/context.ts';
import { endpoint, room } from '../http/endpoint.ts';
import { ok } from '../http/reply.ts';
import { VERSION } from '../version.ts';
import { checkReadiness } from './readiness.ts';

export function operationRoutes(context: Context) {
  return room(context, 'operations', {
    'GET /health': health(context),
    'GET /ready': ready(context),
  });
}

function health({ clock, startedAt }: Context) {
  return endpoint({
    docs: {
      description: 'Whether the process answers. It does not touch the database.',
      replies: {
        200: {
          description: 'It does',
          schema: Type.Object({
            status: Type.Literal('pass'),
            version: Type.String(),
            uptimeMs: Type.Integer(),
          }),
          example: { status: 'pass', version: VERSION, uptimeMs: 86_400_000 },
        },
      },
    },
    open: true,
    handler: () =>
      ok({
        status: 'pass',
        version: VERSION,
        uptimeMs: Math.max(0, Math.round(clock() - startedAt)),
      }),
  });
}

const Check = Type.Object({
  status: Type.String(),
  observedValue: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
  observedUnit: Type.Optional(Type.String()),
  output: Type.Optional(Type.String()),
});

const Readiness = Type.Object({
  status: Type.String({ description: 'pass, warn or fail' }),
  version: Type.Optional(Type.String()),
  checks: Type.Optional(Type.Record(Type.String(), Type.Array(Check))),
});

const READY_EXAMPLE = {
  status: 'pass',
  version: VERSION,
  checks: { 'database:write': [{ status: 'pass', observedValue: 0.4, observedUnit: 'ms' }] },
};

function ready(context: Context) {
  return endpoint({
    docs: {
      description:
        'Whether the service can do its work: each check with its figure. A widget or demo token sees the status alone.',
      replies: {
        200: {
          description: 'It can',
          schema: Readiness,
          mediaType: 'application/health+json',
          example: READY_EXAMPLE,
        },
        503: { description: 'It cannot', schema: Readiness, mediaType: 'application/health+json' },
      },
    },
    open: true,
    async handler({ caller }) {
      const { status, checks } = await checkReadiness(context);
      const alone = caller.capability === 'widget:write' || caller.capability === 'read:demo';
      return {
        status: status === 'fail' ? 503 : 200,
        mediaType: 'application/health+json',
        headers: {
          'Cache-Control': 'no-store',
          ...(status === 'fail' ? { 'Retry-After': '5' } : {}),
        },
        body: alone ? { status } : { status, version: VERSION, checks },
      };
    },
  });
}
