// The shapes in which attachments come and are shown.
import { Type } from '@sinclair/typebox';
import { Actor, idOf, timeOf } from '../../model/answer-schemas.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
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
