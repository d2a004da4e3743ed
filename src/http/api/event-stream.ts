// Answers with a stream of server-sent events, where a caller asks for one.
import { isPublic } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import type { ParameterDocs } from '../../model/docs.ts';
import type { EventStreams } from '../../model/event-streams.ts';
import type { Call } from './api.ts';
import { tooManyAtOnce } from './concurrency-limit.ts';
import type { Context } from './context.ts';

/** Whoever would take JSON as well names the stream first. */
export function wantsStream(request: Request): boolean {
  return /^\s*text\/event-stream\b/i.test(request.headers.get('accept') ?? '');
}

export const LAST_EVENT_ID: ParameterDocs = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'With `Accept: text/event-stream`: the `id` of the last event seen',
  schema: { type: 'integer', minimum: 0 },
};

export function eventStream<R>(
  { limits, tokens, streams }: Context,
  { caller, request, requestId }: Pick<Call, 'caller' | 'request' | 'requestId'>,
  events: EventStreams<R>,
  wants?: (row: R) => boolean,
): Response {
  const lastId = request.headers.get('last-event-id') ?? '';
  if (!/^\d{0,15}$/.test(lastId)) throw invalid('/Last-Event-ID', 'is not the id of an event');
  const { tokenId, projectId, capability } = caller;
  const limit = isPublic(caller) ? limits.eventStreamsPerDemoToken : limits.eventStreamsPerToken;
  if (events.openedBy(tokenId) >= limit) throw tooManyAtOnce('event-streams', limit, 'requests');
  const body = events.open({
    projectId,
    tokenId,
    after: lastId === '' ? undefined : Number(lastId),
    wants,
    isAllowed: (now) =>
      tokens.isGood(tokenId, now) &&
      (capability !== 'read:demo' || tokens.project(projectId)?.demo === true),
    onEnd: streams.enter(caller),
  });
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  return new Response(body, { headers });
}
