// Requests as the bytes that go over the wire.

export interface RequestParts {
  method: string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
  /** A value that is sent as JSON, or bytes. */
  json?: unknown;
  body?: Uint8Array;
}

/** The bytes of a request. */
export function requestBytes({ method, path, token, headers, json, body }: RequestParts): Buffer {
  const content = json === undefined ? body : Buffer.from(JSON.stringify(json));
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
  if (json !== undefined) lines.push('Content-Type: application/json');
  for (const [name, value] of Object.entries(headers ?? {})) lines.push(`${name}: ${value}`);
  if (content) lines.push(`Content-Length: ${content.byteLength}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return content ? Buffer.concat([head, content]) : head;
}

/** A form (RFC 7578) with one file and the given fields: its content type and bytes. */
export function formBytes(
  fields: Record<string, string>,
  file: { name: string; type: string; bytes: Uint8Array },
): { type: string; body: Buffer } {
  const boundary = 'pqrs-load-7d1c2f9a';
  const texts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(texts.join('') + head),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
