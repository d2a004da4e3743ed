// The route that serves a file to whoever holds a good link to it.
import { Elysia } from 'elysia';
import { notFound, Problem } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { answers } from '../../http/api/reply.ts';
import { searchOf } from '../../http/api/request.ts';
import { contentDisposition } from '../../http/files/content-disposition.ts';
import { isInlineSafe } from '../../http/files/media-type.ts';
import { matchesAny } from '../../model/etag.ts';
import { fileBody } from '../../runtime/file-body.ts';
import { reportGone } from '../../store/errors.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { Evidence } from '../evidence.ts';
import { verifyLink } from './links.ts';
import { FILE_DOCS, FileContent } from './model.ts';
import { findAttachment, mayRead } from './rows.ts';

const REFUSED = {
  signature_required: 'Open the file by a signed link; answers that show the attachment hold one.',
  signature_invalid: 'The link was changed, or what it was made for is gone.',
  signature_expired: 'The link has expired; answers that show the attachment hold a fresh one.',
} as const;

export const fileRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'files', prefix: '/files' }).use(api(evidence)).get(
    '/:key',
    async ({ params, ...call }) => {
      const attachment = await open(evidence, call, params.key);
      return send(evidence, call, attachment);
    },
    {
      operation: { id: 'getFile', docs: FILE_DOCS, slots: 'streams' },
      response: answers({ 200: FileContent, 206: FileContent }),
    },
  );

async function open(
  evidence: Served<Evidence>,
  call: Pick<Call, 'request' | 'now'>,
  key: string,
): Promise<AttachmentRow> {
  const { request, now } = call;
  const sent = sentToken(evidence, call);
  const attachment = /^[0-9a-z]{52}$/.test(key)
    ? await findAttachment(evidence.database.read, key)
    : undefined;
  const file = { key, projectId: attachment?.projectId ?? '' };
  const verdict = verifyLink(evidence.signingKeys, searchOf(request), file, Math.floor(now / 1000));
  if (!verdict.ok) {
    if (verdict.reason === 'signature_required' && !sent) evidence.guard.refuse(request, now);
    throw new Problem(verdict.reason, REFUSED[verdict.reason]);
  }
  const madeFor = evidence.tokens.find(verdict.tokenId);
  const demo = evidence.config.demo && evidence.tokens.project(file.projectId)?.demo === true;
  const isGood = madeFor && evidence.tokens.isGood(madeFor.id, now);
  if (!attachment || !isGood || !mayRead(madeFor, attachment, demo))
    throw new Problem('signature_invalid', REFUSED.signature_invalid);
  if (sent && sent.projectId !== attachment.projectId) throw notFound('file');
  return attachment;
}

/** The token of the request, if it carries one. @throws Problem `unauthorized` for a bad one */
function sentToken(
  { tokens, guard }: Served<Evidence>,
  { request, now }: Pick<Call, 'request' | 'now'>,
): { projectId: string } | undefined {
  const header = request.headers.get('authorization');
  if (header === null) return undefined;
  const found = tokens.authenticate(header, now);
  if (!found.ok) return guard.refuse(request, now, found.token);
  return found.token;
}

async function send(
  evidence: Served<Evidence>,
  { request, requestId }: Pick<Call, 'request' | 'requestId'>,
  attachment: AttachmentRow,
): Promise<Response> {
  const { sha256, mediaType, name, bytes } = attachment;
  const { files } = evidence;
  if ((await files.sizeOf(sha256)) !== bytes) {
    // It may have been taken away since its row was read.
    if (!(await findAttachment(evidence.database.read, attachment.key)))
      throw new Problem('signature_invalid', REFUSED.signature_invalid);
    throw reportGone(evidence, `The attachment ${name}`, sha256);
  }
  const etag = `"${sha256}"`;
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Content-Security-Policy':
      "sandbox; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'",
    'Content-Disposition': contentDisposition(
      isInlineSafe(mediaType) ? 'inline' : 'attachment',
      name,
    ),
    'Content-Type': mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType,
  };
  const known = request.headers.get('if-none-match');
  if (known !== null && matchesAny(known, etag))
    return new Response(null, { status: 304, headers });
  const ifRange = request.headers.get('if-range') ?? etag;
  const part = ifRange === etag ? partOf(request.headers.get('range'), bytes) : undefined;
  const length = part ? part.end - part.start + 1 : bytes;
  headers['Content-Length'] = String(length);
  if (part) headers['Content-Range'] = `bytes ${part.start}-${part.end}/${bytes}`;
  const body =
    length === 0 ? null : fileBody(files.path(sha256), part, () => files.read(sha256, part));
  return new Response(body, { status: part ? 206 : 200, headers });
}

/**
 * The part that a `Range` asks for (RFC 9110, 14.2), both bytes included; undefined for the whole file, as
 * where it is malformed or names several.
 */
function partOf(header: string | null, size: number) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (!first && !last) return undefined;
  const start = first ? Number(first) : Math.max(0, size - Number(last));
  const end = first && last ? Number(last) : size - 1;
  if (first && last && start > end) return undefined;
  if (start < size) return { start, end: Math.min(end, size - 1) };
  throw new Problem('range_not_satisfiable', `The file has ${size} bytes.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}
