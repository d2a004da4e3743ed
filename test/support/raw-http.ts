// HTTP written by hand to a socket, for requests that `fetch` would correct or refuse.
import { connect } from 'node:net';
import { type Answer, answerOf } from './answer.ts';

export interface RawRequest {
  /** Request line and headers with CRLF between them, without the empty line. */
  head: string;
  body?: Uint8Array | string;
  /** Sends the body in chunks of this many bytes, and stops when an answer comes. */
  chunkBytes?: number;
  /** How far the chunks are apart; a moment unless said. */
  pauseMs?: number;
  /** How long to wait for the answer. */
  waitMs?: number;
}

/**
 * Sends a request and reads one answer.
 *
 * @throws when the connection ends without a whole answer, or none comes in time
 */
export function sendRaw(
  { hostname, port }: { hostname: string; port: number },
  { head, body, chunkBytes, pauseMs = 1, waitMs = 5000 }: RawRequest,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname);
    let received: Buffer = Buffer.alloc(0);
    let settled = false;
    const asked = head.split('\r\n')[0] ?? '';
    const timer = setTimeout(() => end(new Error(`no answer to ${asked}`)), waitMs);

    function end(error?: Error): void {
      if (settled) return;
      const answer = readResponse(asked, received, error !== undefined);
      if (!answer && !error) return;
      settled = true;
      clearTimeout(timer);
      socket.destroy();
      if (answer) resolve(answer);
      else reject(error);
    }

    socket.on('data', (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      end();
    });
    socket.on('close', () => end(new Error(`the connection ended without an answer to ${asked}`)));
    socket.on('error', (error) => end(error));
    socket.on('connect', async () => {
      socket.write(`${head}\r\n\r\n`);
      const bytes = Buffer.from(body ?? '');
      const step = chunkBytes ?? Math.max(bytes.byteLength, 1);
      for (let at = 0; at < bytes.byteLength && !settled; at += step) {
        socket.write(bytes.subarray(at, at + step));
        if (chunkBytes !== undefined) await Bun.sleep(pauseMs);
      }
    });
  });
}

/** The first whole response in some bytes; at the end of the connection, one without a length too. */
function readResponse(asked: string, received: Buffer, ended: boolean): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received
    .subarray(0, headEnd)
    .toString('latin1')
    .split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const rest = received.subarray(headEnd + 4);
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunk(rest);
    return body && answerOf(asked, status, headers, body);
  }
  const length = Number(headers.get('content-length') ?? (status === 304 ? 0 : Number.NaN));
  if (Number.isNaN(length) ? !ended : rest.byteLength < length) return undefined;
  return answerOf(asked, status, headers, new Uint8Array(rest.subarray(0, length || undefined)));
}

function unchunk(bytes: Buffer): Uint8Array | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (size === 0) return new Uint8Array(Buffer.concat(parts));
    if (bytes.byteLength < lineEnd + 2 + size + 2) return undefined;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
