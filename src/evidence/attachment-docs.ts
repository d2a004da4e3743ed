// What the API document says of attachments and files.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../http/api-operation.ts';
import { oneOf } from '../http/schemas.ts';
import { ATTACHMENT_KINDS } from './attachments.ts';

export const Attachment = Type.Object({
  id: Type.String(),
  key: Type.String(),
  issueId: Type.String(),
  name: Type.String(),
  kind: oneOf(ATTACHMENT_KINDS),
  note: Type.Union([Type.String(), Type.Null()]),
  mediaType: Type.String({ description: 'Told from the bytes' }),
  bytes: Type.Integer(),
  sha256: Type.String(),
  author: Type.Object({ tokenId: Type.String(), label: Type.Union([Type.String(), Type.Null()]) }),
  createdAt: Type.String({ documentedFormat: 'date-time' }),
  url: Type.String({ description: 'Signed path to the file, minted for this answer' }),
});

export const ATTACHMENT_EXAMPLE = {
  id: 'att_01k4mz4d8rh5jvk2m3n6p7q9st',
  key: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a',
  issueId: 'iss_01k4mz3b6qf2gte8s9vxw0y1za',
  name: 'screenshot.png',
  kind: 'screenshot',
  note: null,
  mediaType: 'image/png',
  bytes: 48_213,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' },
  createdAt: '2026-01-31T12:00:00.000Z',
  url: '/api/files/2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a?expires=1769861700&by=tok_…&kid=…&signature=…',
};

export const AttachmentForm = Type.Object({
  file: Type.String({ documentedFormat: 'binary' }),
  kind: Type.Optional(oneOf(ATTACHMENT_KINDS)),
  note: Type.Optional(Type.String({ maxLength: 8192 })),
});

export const ATTACHMENT_DOCS: OperationDocs = {
  description:
    'Attaches a file to an issue: a form with `file`, `kind` and `note`, or the bare bytes under a `Content-Disposition` ' +
    'header with a filename (`kind` and `note` then come as query). The media type is told from the bytes. A widget ' +
    'attaches to what it filed itself.',
  replies: {
    201: { description: 'The attachment', schema: Attachment, example: ATTACHMENT_EXAMPLE },
  },
};

export const FILE_DOCS: OperationDocs = {
  description:
    'Sends the file of a signed link, whole or in part (`Range`, `If-Range`). A bearer token alone does not open it. ' +
    'A link dies with the attachment and with the token it was made for.',
  replies: {
    200: {
      description: 'The file',
      schema: Type.String({ documentedFormat: 'binary' }),
      mediaType: '*/*',
    },
    206: {
      description: 'A part of the file',
      schema: Type.String({ documentedFormat: 'binary' }),
      mediaType: '*/*',
    },
    304: { description: 'The file is the one that `If-None-Match` names' },
  },
  problems: [
    'unauthorized',
    'signature_required',
    'signature_invalid',
    'signature_expired',
    'range_not_satisfiable',
  ],
};
