// Receiving the body of an attachment as a stream: a form with one file, or the bare file under a
// Content-Disposition header. The content goes to disk while it comes in.
import { invalid, Problem } from '../../errors.ts';
import { tooLarge } from '../../http/api/body.ts';
import { bodyChunks } from '../../http/api/request-body.ts';
import { cleanFileName, parseContentDisposition } from '../../http/files/content-disposition.ts';
import { sniffMediaType } from '../../http/files/media-type.ts';
import { MULTIPART_LIMITS, multipartBoundary, readMultipart } from '../../http/files/multipart.ts';
import type { Limits } from '../../limits.ts';
import {
  FileAborted,
  type FileStore,
  FileTooLarge,
  type StagedFile,
} from '../../store/files/files.ts';
import { ATTACHMENT_KINDS, type AttachmentKind, usualKind } from './rows.ts';

/** A file on disk that no row names yet. */
export interface Received {
  file: StagedFile;
  name: string;
  kind: AttachmentKind;
  note: string | null;
  mediaType: string;
  /** By which a repeated request is known: every part of it. */
  parts: string[];
}

/** What the query of a bare upload says of the file. */
export interface EvidenceFields {
  kind?: AttachmentKind | undefined;
  note?: string | undefined;
}

type Upload = [files: FileStore, request: Request, fields: EvidenceFields, limits: Limits];

const FORM_OVERHEAD_BYTES = 256 * 1024;

/**
 * Streams the file of a request into the store. The caller commits or discards it.
 *
 * @throws Problem `too_large`, `timeout`, `malformed_body`, `invalid`; nothing is left of the file then
 */
export async function receiveEvidence(...upload: Upload): Promise<Received> {
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
  fields: EvidenceFields,
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
