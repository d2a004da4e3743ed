// The body of `POST /test-runs`: a bare report, or a form with the report, what is said of the run,
// and files that go with it. Nothing of it is stored yet.

import { invalid, Problem } from '../../errors.ts';
import { usualKind } from '../../evidence/attachments/receive.ts';
import { mediaTypeOf, readJson, tooLarge } from '../../http/api/body.ts';
import { bodyChunks } from '../../http/api/request-body.ts';
import { cleanFileName } from '../../http/files/content-disposition.ts';
import { sniffMediaType } from '../../http/files/media-type.ts';
import { type FilePart, MULTIPART_LIMITS, readMultipart } from '../../http/files/multipart.ts';
import type { Limits } from '../../limits.ts';
import { checkRunFields, type RunFields } from '../../quality/runs/fields.ts';
import {
  FileAborted,
  type FileStore,
  FileTooLarge,
  type StagedFile,
} from '../../store/files/files.ts';
import { type HeldReport, holdReport } from './report.ts';

/** A file that goes with a run, as it came. */
export interface HeldFile {
  file: StagedFile;
  name: string;
  mediaType: string;
  kind: ReturnType<typeof usualKind>;
}

export interface ReceivedRun {
  /** Undefined for a form without one. */
  report: HeldReport | undefined;
  /** What the form says of the run; undefined for a bare report, which may say it itself. */
  form: RunFields | undefined;
  files: HeldFile[];
  /** By which the same contents are known again. */
  contents: string[];
  /** Takes away what is not stored by then. */
  drop(): Promise<void>;
}

const MiB = 1024 * 1024;
const FORM_OVERHEAD_BYTES = MiB;
/** Of the part that says what the report does not: 100,000 expected files have room in it. */
const RUN_PART_BYTES = 8 * MiB;

/** Bytes of a whole body at most, by its media type. */
export function runBodyBytes(limits: Limits, mediaType: string): number {
  if (mediaType !== 'multipart/form-data') return limits.reportBytes;
  const files = limits.attachmentsPerIssue * limits.attachmentBytes;
  return limits.reportBytes + files + RUN_PART_BYTES + FORM_OVERHEAD_BYTES;
}

/**
 * Receives a body.
 *
 * @throws Problem `malformed_body`, `too_large`, `invalid`; nothing is left of it then
 */
export async function receiveRun(
  store: FileStore,
  limits: Limits,
  request: Request,
): Promise<ReceivedRun> {
  const mediaType = mediaTypeOf(request);
  const chunks = bodyChunks(request, runBodyBytes(limits, mediaType), limits);
  if (mediaType === 'multipart/form-data') return receiveForm(store, limits, request, chunks);
  requireUtf8(request, mediaType);
  const options = { limitBytes: limits.reportBytes, mediaType, signal: request.signal };
  const report = await holdReport(store, chunks, options);
  return { report, form: undefined, files: [], contents: [report.sha256], drop: report.drop };
}

/** @throws Problem `unsupported_media_type`; XML says its encoding itself */
function requireUtf8(request: Request, mediaType: string): void {
  if (mediaType.endsWith('xml')) return;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(
    request.headers.get('content-type') ?? '',
  )?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported_media_type', 'The body must be in UTF-8.');
  }
}

async function receiveForm(
  store: FileStore,
  limits: Limits,
  request: Request,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ReceivedRun> {
  let report: HeldReport | undefined;
  let form: RunFields | undefined;
  const files: HeldFile[] = [];
  const drop = async () => {
    await report?.drop();
    for (const { file } of files) await file.discard();
  };
  const { signal } = request;
  const { reportBytes: limitBytes, attachmentsPerIssue: most, attachmentBytes } = limits;

  async function take(part: FilePart): Promise<void> {
    const at = `/${part.name}`;
    if (part.name === 'run') {
      if (form) throw invalid(at, 'may be given once');
      form = checkRunFields(readJson(await gather(part.chunks, RUN_PART_BYTES)));
    } else if (part.name === 'report') {
      if (report) throw invalid(at, 'may be given once');
      const mediaType = reportType(part.mediaType);
      report = await holdReport(store, part.chunks, { limitBytes, mediaType, signal });
    } else if (files.length >= most) {
      throw invalid(at, `is one file too many: a run has at most ${most}`);
    } else files.push(await holdFile(store, part, attachmentBytes, signal));
  }

  try {
    const bounds = {
      ...MULTIPART_LIMITS,
      totalBytes: runBodyBytes(limits, 'multipart/form-data'),
      streamed: ['report', 'run'],
    };
    const contentType = request.headers.get('content-type') ?? '';
    for await (const part of readMultipart(chunks, contentType, bounds)) {
      if (part.kind === 'field') throw invalid(`/${part.name}`, NO_FIELD);
      await take(part);
    }
  } catch (error) {
    await drop();
    throw error;
  }
  const named = files.flatMap(({ file, name }) => [name, file.sha256]);
  return { report, form: form ?? {}, files, contents: [report?.sha256 ?? '', ...named], drop };
}

const NO_FIELD = 'is not a field of this form; a file of it has a filename';

/** Media types that clients give to whatever they do not know. */
function reportType(mediaType: string | undefined): string | undefined {
  const known = mediaType?.toLowerCase();
  return known === 'application/octet-stream' || known === 'text/plain' ? undefined : known;
}

async function gather(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw tooLarge(limit);
    all.push(chunk.slice());
  }
  return Buffer.concat(all);
}

async function holdFile(
  store: FileStore,
  part: FilePart,
  limitBytes: number,
  signal: AbortSignal,
): Promise<HeldFile> {
  try {
    const file = await store.receive(part.chunks, { limitBytes, signal });
    const name = cleanFileName(part.fileName ?? part.name);
    const mediaType = await sniffMediaType(file.head, name, part.mediaType ?? '').catch(
      async (error) => {
        await file.discard();
        throw error;
      },
    );
    return { file, name, mediaType, kind: usualKind(mediaType, name) };
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(limitBytes);
    if (error instanceof FileAborted)
      throw new Problem('malformed_body', 'The body broke off.', { cause: error });
    throw error;
  }
}
