// The route that attaches a file to an issue: a form with one file, or the bare file under a
// Content-Disposition header. The content goes to disk while it comes in.
import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, unauthorized } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { streamBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, created } from '../../http/api/reply.ts';
import { bodyChunks } from '../../http/api/request-body.ts';
import { cleanFileName, sentFileName } from '../../http/files/content-disposition.ts';
import { sniffMediaType } from '../../http/files/media-type.ts';
import {
  decodeUtf8,
  gather,
  multipartBoundary,
  readMultipart,
} from '../../http/files/multipart.ts';
import type { Limits } from '../../limits.ts';
import { closed } from '../../model/schemas.ts';
import { compileCheck, storable } from '../../model/validate.ts';
import { type FileStore, keepFile, type StagedFile } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Evidence } from '../evidence.ts';
import { attachmentView } from '../issues/rows.ts';
import { withoutLent } from './lent-files.ts';
import { createLinkMint } from './links.ts';
import {
  ATTACHMENT_DOCS,
  Attachment,
  AttachmentForm,
  AttachmentQuery,
  FileContent,
} from './model.ts';
import { type AttachedFile, attach, requireCapacity, usualKind } from './rows.ts';

export const attachmentRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'attachments', prefix: '/issues' }).use(api(evidence)).post(
    '/:id/attachments',
    async ({ caller, params, query, request, now, keyed, write }) => {
      const { database, files, guard, limits, tokens } = evidence;
      const { projectId } = caller;
      const target = { projectId, issueId: params.id };
      const bounds = {
        perIssue: limits.attachmentsPerIssue,
        quotaBytes: tokens.project(projectId)?.quotaBytes ?? null,
      };
      const mint = createLinkMint(evidence.signingKeys, caller, now, query.linkTtl);
      const answer = (view: Static<typeof Attachment>) =>
        created(view, `/api/issues?id=${target.issueId}`);
      const received = await receiveEvidence(files, request, query, limits);
      let { file } = received;
      try {
        const hash = requestHash(...received.sent);
        const replayed = await keyed?.replay(hash);
        if (replayed) {
          const body = replayed.body as Static<typeof Attachment>;
          const fresh = { ...body, url: mint.urlOf({ key: body.key, projectId }) };
          return { ...replayed, body: fresh } as ReturnType<typeof answer>;
        }
        // An upload may take long: a token that was revoked meanwhile writes nothing more.
        if (!tokens.isGood(caller.tokenId, evidence.clock())) throw unauthorized();
        const lent = await evidence.lent.of(caller.tokenId);
        file = await withoutLent(files, file, lent);
        guard.takeBytes(caller, file.bytes, now);
        const masked = lent?.mask?.text ?? ((text: string) => text);
        const { kind, mediaType } = received;
        const [name, note] = [masked(received.name), received.note && masked(received.note)];
        const { bytes, sha256 } = file;
        const stored = { name, kind, note, mediaType, bytes, sha256 };
        return await keepFile(files, file, isContentReferenced(database.read), () =>
          write(async (db) => {
            await requireCapacity(db, caller, target, bounds, bytes);
            const row = await attach(db, target, stored, actorOf(caller), now);
            return answer(attachmentView(row, mint.urlOf(row)));
          }, hash),
        );
      } finally {
        await file.discard();
        evidence.issueCache.changed(target.issueId);
      }
    },
    {
      operation: { id: 'attachEvidence', docs: ATTACHMENT_DOCS, slots: 'streams' },
      query: queryOf(AttachmentQuery),
      body: streamBody(
        { 'multipart/form-data': AttachmentForm, '*/*': FileContent },
        ({ attachmentBytes }) => attachmentBytes + FORM_OVERHEAD_BYTES,
      ),
      response: answers({ 201: Attachment }),
    },
  );

interface Received extends Omit<AttachedFile, 'bytes' | 'sha256'> {
  file: StagedFile;
  /** By which a repeated request is known: every part of it. */
  sent: string[];
}

type Fields = Pick<Static<typeof AttachmentQuery>, 'kind' | 'note'>;

const FORM_OVERHEAD_BYTES = 256 * 1024;
const FIELD_BYTES = 64 * 1024;
const FIELDS: ReadonlySet<string> = new Set(['kind', 'note']);
const checkFields = storable(
  compileCheck(
    closed({ kind: AttachmentQuery.properties.kind, note: AttachmentQuery.properties.note }),
  ),
);

// Streams the file of a request into the store. The caller commits or discards it. @throws Problem
// `too_large`, `timeout`, `malformed_body`, `invalid`; nothing is left of the file then
async function receiveEvidence(
  files: FileStore,
  request: Request,
  query: Fields,
  limits: Limits,
): Promise<Received> {
  const contentType = request.headers.get('content-type') ?? '';
  const isForm = multipartBoundary(contentType) !== undefined;
  const fileName = isForm ? '' : fileNameOf(request);
  const limitBytes = limits.attachmentBytes;
  const totalBytes = isForm ? limitBytes + FORM_OVERHEAD_BYTES : limitBytes;
  const chunks = bodyChunks(request, totalBytes, limits);
  const bare = { name: 'file', fileName, mediaType: contentType, chunks };
  const parts = isForm ? readMultipart(chunks, contentType, { totalBytes }) : [bare];
  const fields: Record<string, string | undefined> = { kind: query.kind, note: query.note };
  let [file, name, claimed]: [StagedFile | undefined, string, string] = [undefined, '', ''];
  try {
    for await (const part of parts) {
      const isFile = part.name === 'file';
      if (!isFile && (part.fileName !== undefined || !FIELDS.has(part.name)))
        throw invalid(`/${part.name}`, 'is not a field of this form');
      if (isFile ? file : fields[part.name] !== undefined)
        throw invalid(`/${part.name}`, 'may be given once');
      if (isFile) {
        file = await files.receive(part.chunks, { limitBytes });
        [name, claimed] = [cleanFileName(part.fileName ?? ''), part.mediaType ?? ''];
      } else {
        const bytes = await gather(part.chunks, FIELD_BYTES);
        fields[part.name] = decodeUtf8(bytes, 'a field');
      }
    }
    if (!file) throw invalid('/file', 'is required');
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const checked = checkFields(Object.fromEntries(given));
    const mediaType = await sniffMediaType(file.head, name, claimed);
    const { kind = usualKind(mediaType, name), note = null } = checked;
    const sent = [name, claimed, checked.kind ?? '', note ?? '', file.sha256];
    return { file, name, mediaType, kind, note, sent };
  } catch (error) {
    await file?.discard();
    throw error;
  }
}

function fileNameOf({ headers }: Request): string {
  const name = sentFileName(headers.get('content-disposition') ?? '');
  const detail = 'must be given, with a filename, for a body that is no form';
  if (!name) throw invalid('/Content-Disposition', detail);
  return name;
}
