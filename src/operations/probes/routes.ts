// The probes: whether the process answers, and whether it can do its work. They rest on nothing but
// the context, so that they answer before all else is open.
import { Type } from '@sinclair/typebox';
import type { Context } from '../../http/api/context.ts';
import { endpoint, room } from '../../http/api/endpoint.ts';
import { ok } from '../../http/api/reply.ts';
import { oneOf } from '../../model/schemas.ts';
import { VERSION } from '../../version.ts';
import { checkReadiness } from './readiness.ts';

export function probeRoutes(context: Context) {
  return room(context, 'probes', {
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
          schema: Type.Object(
            {
              status: Type.Literal('pass'),
              version: Type.String({ description: 'Of the service' }),
              uptimeMs: Type.Integer({ minimum: 0, description: 'Since the start' }),
            },
            { title: 'Health' },
          ),
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

const Status = oneOf(['pass', 'warn', 'fail']);

const Check = Type.Object(
  {
    status: Status,
    observedValue: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
    observedUnit: Type.Optional(Type.String()),
    output: Type.Optional(Type.String({ description: 'What is wrong' })),
  },
  { title: 'Check' },
);

/** draft-inadarei-api-health-check. */
const Readiness = Type.Object(
  {
    status: Status,
    version: Type.Optional(Type.String({ description: 'Of the service' })),
    checks: Type.Optional(
      Type.Record(Type.String(), Type.Array(Check), {
        description: 'By what was measured; absent for widget and demo tokens',
      }),
    ),
  },
  { title: 'Readiness', description: 'The worst of its checks is its status' },
);

const READY_EXAMPLE = {
  status: 'pass',
  version: VERSION,
  checks: { 'database:write': [{ status: 'pass', observedValue: 0.4, observedUnit: 'ms' }] },
};

const NOT_READY_EXAMPLE = {
  status: 'fail',
  version: VERSION,
  checks: { 'service:draining': [{ status: 'fail', output: 'the service is stopping' }] },
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
        503: {
          description: 'It cannot',
          schema: Readiness,
          mediaType: 'application/health+json',
          example: NOT_READY_EXAMPLE,
        },
      },
    },
    open: true,
    slots: 'probes',
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
