// The route that attaches a file to an issue: a form with one file, or the bare file under a
// Content-Disposition header. The content goes to disk while it comes in.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, unauthorized } from '../../access/caller.ts';
import { invalid, Problem } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { streamBody, tooLarge } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, created } from '../../http/api/reply.ts';
import { bodyChunks } from '../../http/api/request-body.ts';
import { cleanFileName, parseContentDisposition } from '../../http/files/content-disposition.ts';
import { sniffMediaType } from '../../http/files/media-type.ts';
import { MULTIPART_LIMITS, multipartBoundary, readMultipart } from '../../http/files/multipart.ts';
import type { Limits } from '../../limits.ts';
import {
  FileAborted,
  type FileStore,
  FileTooLarge,
  keepFile,
  type StagedFile,
} from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Evidence } from '../evidence.ts';
import { attachmentView } from '../issues/view.ts';
import { ATTACHMENT_DOCS } from './docs.ts';
import { withoutLent } from './lent-files.ts';
import { createLinkMint } from './links.ts';
import {
  ATTACHMENT_KINDS,
  Attachment,
  AttachmentForm,
  type AttachmentKind,
  AttachmentQuery,
  FileContent,
} from './model.ts';
import { attach, requireCapacity, usualKind } from './rows.ts';

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
        const hash = requestHash(...received.parts);
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
        await requireCapacity(database.read, caller, target, bounds, file.bytes);
        const masked = lent?.mask?.text ?? ((text: string) => text);
        const stored = {
          name: masked(received.name),
          kind: received.kind,
          note: received.note && masked(received.note),
          mediaType: received.mediaType,
          bytes: file.bytes,
          sha256: file.sha256,
        };
        return await keepFile(files, file, isContentReferenced(database.read), () =>
          write(async (db) => {
            await requireCapacity(db, caller, target, bounds, file.bytes);
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

interface Received {
  file: StagedFile;
  name: string;
  kind: AttachmentKind;
  note: string | null;
  mediaType: string;
  /** By which a repeated request is known: every part of it. */
  parts: string[];
}

type Fields = Pick<Static<typeof AttachmentQuery>, 'kind' | 'note'>;
type Upload = [files: FileStore, request: Request, fields: Fields, limits: Limits];

const FORM_OVERHEAD_BYTES = 256 * 1024;

/**
 * Streams the file of a request into the store. The caller commits or discards it.
 *
 * @throws Problem `too_large`, `timeout`, `malformed_body`, `invalid`; nothing is left of the file then
 */
async function receiveEvidence(...upload: Upload): Promise<Received> {
  const [, request, , limits] = upload;
  const isForm = multipartBoundary(request.headers.get('content-type') ?? '') !== undefined;
  try {
    return await (isForm ? receiveForm : receiveBare)(...upload);
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(limits.attachmentBytes);
    if (error instanceof FileAborted)
      throw new Problem('malformed_body', 'The body broke off.', { cause: error });
    throw error;
  }
}

async function receiveBare(...[files, request, fields, limits]: Upload): Promise<Received> {
  const header = request.headers.get('content-disposition');
  const sent = header === null ? undefined : parseContentDisposition(header);
  if (!sent?.fileName)
    throw invalid(
      '/Content-Disposition',
      'must be given, with a filename, for a body that is no form',
    );
  const limitBytes = limits.attachmentBytes;
  const chunks = bodyChunks(request, limitBytes, limits);
  const file = await files.receive(chunks, { limitBytes, signal: request.signal });
  return describe(file, sent.fileName, request.headers.get('content-type') ?? '', fields);
}

async function receiveForm(...[files, request, query, limits]: Upload): Promise<Received> {
  const contentType = request.headers.get('content-type') ?? '';
  const limitBytes = limits.attachmentBytes;
  const totalBytes = limitBytes + FORM_OVERHEAD_BYTES;
  const fields: Record<string, string | undefined> = { ...query };
  let staged: { file: StagedFile; fileName: string; mediaType: string } | undefined;
  try {
    const bounds = { ...MULTIPART_LIMITS, totalBytes, streamed: ['file'] };
    const chunks = bodyChunks(request, totalBytes, limits);
    for await (const part of readMultipart(chunks, contentType, bounds)) {
      const at = `/${part.name}`;
      if (part.kind === 'file') {
        if (part.name !== 'file') throw invalid(at, 'is not a field of this form');
        if (staged) throw invalid(at, 'may be given once');
        const file = await files.receive(part.chunks, { limitBytes, signal: request.signal });
        staged = { file, fileName: part.fileName ?? '', mediaType: part.mediaType ?? '' };
      } else {
        if (part.name !== 'kind' && part.name !== 'note')
          throw invalid(at, 'is not a field of this form');
        if (fields[part.name] !== undefined) throw invalid(at, 'may be given once');
        fields[part.name] = part.value;
      }
    }
    if (!staged) throw invalid('/file', 'is required');
    return await describe(staged.file, staged.fileName, staged.mediaType, {
      kind: kindOf(fields.kind),
      note: noteOf(fields.note),
    });
  } catch (error) {
    await staged?.file.discard();
    throw error;
  }
}

async function describe(
  file: StagedFile,
  fileName: string,
  claimed: string,
  fields: Fields,
): Promise<Received> {
  const name = cleanFileName(fileName);
  const mediaType = await sniffMediaType(file.head, name, claimed);
  const kind = fields.kind ?? usualKind(mediaType, name);
  const note = fields.note ?? null;
  return {
    file,
    name,
    mediaType,
    kind,
    note,
    parts: [name, claimed, fields.kind ?? '', note ?? '', file.sha256],
  };
}

function kindOf(value: string | undefined): AttachmentKind | undefined {
  if (value === undefined) return undefined;
  const kind = ATTACHMENT_KINDS.find((one) => one === value);
  if (!kind) throw invalid('/kind', `must be one of ${ATTACHMENT_KINDS.join(', ')}`);
  return kind;
}

function noteOf(value: string | undefined): string | undefined {
  if (value !== undefined && value.length > 8192)
    throw invalid('/note', 'must have at most 8192 characters');
  if (value?.includes('\0')) throw invalid('/note', 'must not hold the character NUL');
  return value;
}
