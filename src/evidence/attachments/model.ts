// The shapes in which attachments come and are shown, and what the API document says of them.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../model/docs.ts';
import { Actor, closed, idOf, nullable, oneOf, timeOf } from '../../model/schemas.ts';
import { type AttachmentRow, attachments } from '../../store/tables/evidence.ts';
import { LINK_TTL_MAX_SECONDS } from './links.ts';

const ATTACHMENT_KINDS = attachments.kind.enumValues;
export type AttachmentKind = AttachmentRow['kind'];

export const LinkTtl = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: LINK_TTL_MAX_SECONDS,
    description: 'Seconds for which file links last',
  }),
);

export const Attachment = Type.Object(
  {
    id: idOf('attachment'),
    key: Type.String({ description: "Names the file in the API's paths; it cannot be guessed" }),
    issueId: idOf('issue'),
    name: Type.String({ description: "The file's name" }),
    kind: oneOf(ATTACHMENT_KINDS, 'What the file is'),
    note: nullable(Type.String()),
    mediaType: Type.String({ description: 'Known from the bytes' }),
    bytes: Type.Integer({ minimum: 0, description: 'Size of the file' }),
    sha256: Type.String({ description: 'SHA-256 of the file, in hexadecimal' }),
    author: Actor,
    createdAt: timeOf('When it was attached'),
    url: Type.String({
      documentedFormat: 'uri-reference',
      description: 'Signed, temporary path of the file, made for this answer',
    }),
  },
  { title: 'Attachment' },
);

export const FileContent = Type.String({ documentedFormat: 'binary' });

export const AttachmentForm = Type.Object(
  {
    file: Type.String({ documentedFormat: 'binary', description: 'The file, with its name' }),
    kind: Type.Optional(oneOf(ATTACHMENT_KINDS, 'What the file is; else known from the file')),
    note: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { title: 'AttachmentForm' },
);

export const AttachmentQuery = closed({
  kind: Type.Optional(oneOf(ATTACHMENT_KINDS)),
  note: Type.Optional(Type.String({ maxLength: 8192 })),
  linkTtl: LinkTtl,
});

export const ATTACHMENT_DOCS: OperationDocs = {
  description:
    'Attaches a file to an issue: a form with `file`, `kind` and `note`, or the bare bytes under a ' +
    '`Content-Disposition` header with a filename (`kind` and `note` then come as query). Widgets and agents attach to ' +
    'what they filed themselves. `409` where the issue has as many attachments as it may have.',
  parameters: [
    header(
      'Content-Disposition',
      'For a bare body: the name of the file (RFC 6266), as in `attachment; filename="screenshot.png"`',
    ),
  ],
  bodyExamples: {
    'multipart/form-data': { file: '(the bytes of screenshot.png)', kind: 'screenshot' },
    '*/*': '(the bytes of the file)',
  },
  replies: { 201: { description: 'The attachment' } },
  problems: ['archive_refused'],
};

function linkPart(name: string, description: string, type: string) {
  return { name, in: 'query' as const, required: true, description, schema: { type } };
}

function header(name: string, description: string) {
  return { name, in: 'header' as const, description, schema: { type: 'string' } };
}

export const FILE_DOCS: OperationDocs = {
  description:
    'Sends the file of a signed link, whole or in part. A bearer token alone does not open it; one that is sent along ' +
    'must be good and of the same project. A link dies with the attachment and with the token that it was made for.',
  parameters: [
    linkPart('expires', 'When the link runs out, in Unix seconds', 'integer'),
    linkPart('by', 'Id of the token that the link was made for', 'string'),
    linkPart('kid', 'Id of the key that signed the link', 'string'),
    header('Range', 'One part of the file (RFC 9110, 14.2), as in `bytes=0-1023`'),
    header(
      'If-Range',
      'Entity tag of the file that the part belongs to; of any other, all is sent',
    ),
  ],
  replies: {
    200: {
      description: 'The file',
      mediaType: '*/*',
      headers: ['ETag', 'Accept-Ranges', 'Content-Disposition'],
    },
    206: {
      description: 'A part of the file',
      mediaType: '*/*',
      headers: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
    },
  },
  problems: [
    'signature_required',
    'signature_invalid',
    'signature_expired',
    'range_not_satisfiable',
  ],
};
