// What the API document says of attachments and files.
import type { OperationDocs } from '../../model/docs.ts';

const KEY = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a';

const ATTACHMENT_EXAMPLE = {
  id: 'att_01k4mz4d8rh5jvk2m3n6p7q9st',
  key: KEY,
  issueId: 'iss_01k4mz3b6qf2gte8s9vxw0y1za',
  name: 'screenshot.png',
  kind: 'screenshot',
  note: 'after the second click',
  mediaType: 'image/png',
  bytes: 48_213,
  sha256: 'a3f5c1d20b7e49868c1b0f6e2d9a7745c3e8b1f0a6d24c9e7b5130f8e2c4d6a9',
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' },
  createdAt: '2026-01-31T12:00:00.000Z',
  url: `/api/files/${KEY}?expires=1769861700&by=tok_01k4mz2v9cf8ptw0yq3e6r7h5d&kid=0mkvw7c2g&signature=example`,
};

export const ATTACHMENT_DOCS: OperationDocs = {
  description:
    'Attaches a file to an issue: a form with `file`, `kind` and `note`, or the bare bytes under a ' +
    '`Content-Disposition` header with a filename (`kind` and `note` then come as query). Widgets and agents attach to ' +
    'what they filed themselves. `409` where the issue has as many attachments as it may have.',
  parameters: [
    {
      name: 'Content-Disposition',
      in: 'header',
      description:
        'For a bare body: the name of the file (RFC 6266), as in `attachment; filename="screenshot.png"`',
      schema: { type: 'string' },
    },
  ],
  bodyExamples: {
    'multipart/form-data': { file: '(the bytes of screenshot.png)', kind: 'screenshot' },
    '*/*': '(the bytes of the file)',
  },
  replies: { 201: { description: 'The attachment', example: ATTACHMENT_EXAMPLE } },
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
