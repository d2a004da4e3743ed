// Files to upload, and forms by hand.
import type { Client, Sending } from './client.ts';
import type { Role } from './roles.ts';
import type { Attachment } from './shapes.ts';

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface Upload {
  name?: string;
  type?: string;
  bytes?: Uint8Array | string;
  as?: Role;
  headers?: Record<string, string>;
  query?: Sending['query'];
}

/** What sends a file as it is, under its name. */
export function bare(upload: Upload = {}): Sending {
  const { name = 'note.txt', type = 'text/plain', bytes = 'a note', as, headers, query } = upload;
  return {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      ...headers,
    },
    body: new Uint8Array(Buffer.from(bytes as string)),
    ...(as ? { as } : {}),
    ...(query ? { query } : {}),
  };
}

/** Attaches a file to an issue, as its owner unless told. */
export async function attachFile(
  api: Client,
  issueId: string,
  upload: Upload = {},
): Promise<Attachment> {
  const answer = await api.send('POST', `/issues/${issueId}/attachments`, bare(upload));
  return answer.must(201).json<Attachment>();
}

export interface FormPart {
  name: string;
  value: string | Uint8Array;
  fileName?: string;
  type?: string;
}

const BOUNDARY = 'the-boundary-of-the-tests';

/** A form of these parts, in their order, under a boundary that is always the same. */
export function form(parts: FormPart[], over: Sending = {}): Sending {
  const pieces = parts.flatMap(({ name, value, fileName, type }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ]);
  return {
    ...over,
    body: new Uint8Array(Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...over.headers },
  };
}
