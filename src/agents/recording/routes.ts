// The route that records test runs.

import { unauthorized } from '../../access/caller.ts';
import { createLinkMint } from '../../evidence/attachments/link-minting.ts';
import { LinkTtl } from '../../evidence/issues/model.ts';
import { mediaTypeOf, streamBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { searchOf } from '../../http/api/query.ts';
import type { Reply } from '../../http/api/reply.ts';
import { closed } from '../../model/schemas.ts';
import { fieldsOfQuery, RunParameters } from '../../quality/runs/fields.ts';
import type { RunAttachment } from '../../quality/runs/test-runs.ts';
import type { Agents } from '../agents.ts';
import { receiveRun, runBodyBytes } from './body.ts';
import { RUN_BODIES } from './form.ts';

const Query = closed({ ...RunParameters.properties, linkTtl: LinkTtl });

export function recordRunRoute(agents: Agents) {
  const { files, limits, tokens, clock } = agents;
  return endpoint({
    docs: async () => (await import('./docs.ts')).RECORD_RUN_DOCS,
    query: Query,
    body: { ...streamBody(RUN_BODIES, ({ reportBytes }) => reportBytes), limitOf: runBodyBytes },
    slots: 'streams',
    refresh,
    async handler(call): Promise<Reply> {
      const { request, caller, now } = call;
      const { linkTtl, ...query } = call.query;
      const fields = fieldsOfQuery(query);
      const { drop, ...received } = await receiveRun(files, limits, request);
      try {
        const said = [mediaTypeOf(request), searchOf(request), JSON.stringify(received.form ?? 0)];
        const hash = requestHash(...said, ...received.contents);
        const kept = await call.keyed?.replay(hash);
        if (kept) return refresh(kept, call);
        // A body may be long in coming: a token that was revoked meanwhile writes nothing more.
        if (!tokens.isGood(caller.tokenId, clock())) throw unauthorized();
        // Loaded when the first run comes, for the sake of the start.
        const { recordRun } = await import('./record.ts');
        const runCall = { caller, now, write: call.write, linkTtl };
        return await recordRun(agents, runCall, { ...received, query: fields, hash });
      } finally {
        await drop();
      }
    },
  });

  /** A kept answer with fresh links. */
  function refresh(
    reply: Reply,
    { caller, now, query }: Pick<Call<{ linkTtl?: number }>, 'caller' | 'now' | 'query'>,
  ): Reply {
    const body = reply.body as { attachments: RunAttachment[] };
    const mint = createLinkMint(agents.signingKeys, caller, now, query.linkTtl);
    const attachments = body.attachments.map((one) => ({
      ...one,
      url: mint.urlOf({ key: one.key, projectId: caller.projectId }),
    }));
    return { ...reply, body: { ...body, attachments } };
  }
}
