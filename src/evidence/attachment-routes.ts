// The route that attaches evidence to an issue.
import { Type } from '@sinclair/typebox';
import { streamBody } from '../http/body.ts';
import { actorOf } from '../http/caller.ts';
import { endpoint, param, replayed } from '../http/endpoint.ts';
import { requestHash } from '../http/idempotency.ts';
import { created, type Reply } from '../http/reply.ts';
import { closed, oneOf } from '../http/schemas.ts';
import { ATTACHMENT_DOCS, AttachmentForm } from './attachment-docs.ts';
import { ATTACHMENT_KINDS, attach, isContentReferenced, requireRoom } from './attachments.ts';
import type { Evidence } from './evidence.ts';
import { LinkTtl } from './issue-model.ts';
import { attachmentView } from './issue-view.ts';
import { createLinkMint } from './link-minting.ts';
import { receiveEvidence } from './receive-evidence.ts';

const Query = closed({
  kind: Type.Optional(oneOf(ATTACHMENT_KINDS)),
  note: Type.Optional(Type.String({ maxLength: 8192 })),
  linkTtl: LinkTtl,
});

export function attachEvidenceRoute(room: Evidence) {
  const { database, files, guard, limits } = room;
  return endpoint({
    docs: ATTACHMENT_DOCS,
    query: Query,
    body: streamBody(
      { 'multipart/form-data': AttachmentForm, '*/*': Type.String({ documentedFormat: 'binary' }) },
      ({ attachmentBytes }) => attachmentBytes + 256 * 1024,
    ),
    streams: true,
    refresh(reply, { caller, now, query }) {
      const body = reply.body as { key: string };
      const mint = createLinkMint(room.signingKeys, caller, now, query.linkTtl);
      return {
        ...reply,
        body: { ...body, url: mint.urlOf({ key: body.key, projectId: caller.projectId }) },
      };
    },
    async handler(call): Promise<Reply> {
      const { caller, request, query, now } = call;
      const onlyBy = caller.capability === 'widget:write' ? caller.tokenId : undefined;
      const target = { projectId: caller.projectId, issueId: param(call, 'id'), onlyBy };
      const quotaBytes = room.tokens.project(caller.projectId)?.quotaBytes ?? null;
      const bounds = { perIssue: limits.attachmentsPerIssue, quotaBytes };
      if (!call.keyed) await requireRoom(database.read, target, bounds, 0);
      const { file, parts, ...evidence } = await receiveEvidence(
        files,
        request,
        query,
        limits.attachmentBytes,
      );
      try {
        const hash = requestHash(...parts);
        const kept = await replayed(call, hash);
        if (kept) return this.refresh?.(kept, call) ?? kept;
        guard.takeBytes(caller, file.bytes, now);
        await requireRoom(database.read, target, bounds, file.bytes);
        await file.commit();
        const mint = createLinkMint(room.signingKeys, caller, now, query.linkTtl);
        return await call.write(async (db) => {
          await requireRoom(db, target, bounds, file.bytes);
          const { projectId, issueId } = target;
          const stored = { ...evidence, bytes: file.bytes, sha256: file.sha256 };
          const row = await attach(db, { projectId, issueId }, stored, actorOf(caller), now);
          return created(attachmentView(row, mint.urlOf(row)), `/api/issues?id=${issueId}`);
        }, hash);
      } catch (error) {
        await file.discard();
        await files.remove(file.sha256, isContentReferenced(database.read));
        throw error;
      } finally {
        await file.discard();
        room.issueCache.changed(target.issueId);
      }
    },
  });
}
