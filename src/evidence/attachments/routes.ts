// The route that attaches evidence to an issue.
import { type Static, Type } from '@sinclair/typebox';
import { actorOf, unauthorized } from '../../access/caller.ts';
import { streamBody } from '../../http/api/body.ts';
import { type Call, endpoint, param } from '../../http/api/endpoint.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { created, type Reply } from '../../http/api/reply.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { keepFile } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Evidence } from '../evidence.ts';
import { LinkTtl } from '../issues/model.ts';
import { attachmentView } from '../issues/view.ts';
import { AttachmentForm } from './form.ts';
import { withoutLent } from './lent-files.ts';
import { createLinkMint } from './link-minting.ts';
import { receiveEvidence } from './receive.ts';
import { ATTACHMENT_KINDS, attach, requireCapacity } from './rows.ts';

const Query = closed({
  kind: Type.Optional(oneOf(ATTACHMENT_KINDS)),
  note: Type.Optional(Type.String({ maxLength: 8192 })),
  linkTtl: LinkTtl,
});

export function attachEvidenceRoute(room: Evidence) {
  const { database, files, guard, limits } = room;
  return endpoint({
    docs: async () => (await import('./docs.ts')).ATTACHMENT_DOCS,
    query: Query,
    body: streamBody(
      { 'multipart/form-data': AttachmentForm, '*/*': Type.String({ documentedFormat: 'binary' }) },
      ({ attachmentBytes }) => attachmentBytes + 256 * 1024,
    ),
    slots: 'streams',
    refresh,
    async handler(call): Promise<Reply> {
      const { caller, request, query, now } = call;
      const target = { projectId: caller.projectId, issueId: param(call, 'id') };
      const quotaBytes = room.tokens.project(caller.projectId)?.quotaBytes ?? null;
      const bounds = { perIssue: limits.attachmentsPerIssue, quotaBytes };
      const { parts, ...received } = await receiveEvidence(files, request, query, limits);
      let { file } = received;
      try {
        const hash = requestHash(...parts);
        const kept = await call.keyed?.replay(hash);
        if (kept) return refresh(kept, call);
        // An upload may take long: a token that was revoked meanwhile writes nothing more.
        if (!room.tokens.isGood(caller.tokenId, room.clock())) throw unauthorized();
        const lent = await call.lent();
        file = await withoutLent(files, file, lent);
        guard.takeBytes(caller, file.bytes, now);
        await requireCapacity(database.read, caller, target, bounds, file.bytes);
        const { projectId, issueId } = target;
        const text = lent?.mask?.text ?? ((one: string) => one);
        const { kind, mediaType, note } = received;
        const stored = {
          ...{ kind, mediaType, name: text(received.name), note: note && text(note) },
          ...{ bytes: file.bytes, sha256: file.sha256 },
        };
        const mint = createLinkMint(room.signingKeys, caller, now, query.linkTtl);
        const writeRow = () =>
          call.write(async (db) => {
            await requireCapacity(db, caller, target, bounds, file.bytes);
            const row = await attach(db, { projectId, issueId }, stored, actorOf(caller), now);
            return created(attachmentView(row, mint.urlOf(row)), `/api/issues?id=${issueId}`);
          }, hash);
        return await keepFile(files, file, isContentReferenced(database.read), writeRow);
      } finally {
        await file.discard();
        room.issueCache.changed(target.issueId);
      }
    },
  });

  /** A kept answer with a fresh link. */
  function refresh(reply: Reply, { caller, now, query }: Call<Static<typeof Query>>): Reply {
    const body = reply.body as { key: string };
    const mint = createLinkMint(room.signingKeys, caller, now, query?.linkTtl);
    const url = mint.urlOf({ key: body.key, projectId: caller.projectId });
    return { ...reply, body: { ...body, url } };
  }
}
