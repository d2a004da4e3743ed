// One keep-alive connection of a client, HTTP/1.1 (RFC 9112) written by hand over a TCP socket: it
// costs little, never repeats a request by itself, and tells a lost answer from a given one.
import type { Socket } from 'bun';

export interface Answer {
  status: number;
  /** Status line and header lines, as they came. */
  head: string;
  /** Empty where the connection was opened to drop bodies. */
  body: Buffer;
  bodyBytes: number;
}

export interface Connection {
  /** Sends a request whole; the answer goes to `onAnswer`. One request at a time. */
  send(request: Uint8Array): void;
  /** Sends a piece of a request; resolves when the system has taken all of it. */
  write(piece: Uint8Array): Promise<void>;
  close(): void;
  /** Ends the connection with a reset, as a client that dies does. */
  abort(): void;
}

export interface ConnectionOptions {
  hostname: string;
  port: number;
  dropBodies?: boolean;
  onAnswer(answer: Answer): void;
  /** The connection has ended; what was asked and not answered is lost. */
  onClose(): void;
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_END_NUMBER = HEAD_END.readUInt32BE();
const NO_ANSWER: Answer = { status: 0, head: '', body: NOTHING, bodyBytes: 0 };
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** Opens a connection. @throws when nobody listens */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  let unsent: Uint8Array = NOTHING;
  let drained: (() => void) | undefined;
  const read = answerReader(options.dropBodies === true, options.onAnswer);

  function flush(socket: Socket): void {
    while (unsent.byteLength > 0) {
      const written = socket.write(unsent);
      if (written <= 0) return;
      unsent = unsent.subarray(written);
    }
    settle();
  }

  function settle(): void {
    drained?.();
    drained = undefined;
  }

  function ended(): void {
    settle();
    options.onClose();
  }

  const socket = await Bun.connect({
    hostname: options.hostname,
    port: options.port,
    socket: {
      data: (_socket, chunk) => read(chunk),
      drain: flush,
      close: ended,
      error: () => {},
    },
  });
  socket.setNoDelay(true);

  function send(piece: Uint8Array): void {
    if (unsent.byteLength > 0) {
      unsent = Buffer.concat([unsent, piece]);
      flush(socket);
      return;
    }
    // Nearly always taken whole: a client that spends more is what limits the rate it measures.
    const written = Math.max(0, socket.write(piece));
    if (written === piece.byteLength) settle();
    else unsent = piece.subarray(written);
  }

  return {
    send,
    write(piece) {
      return new Promise((resolve) => {
        drained = resolve;
        send(piece);
      });
    },
    close: () => {
      socket.end();
    },
    abort: () => {
      socket.terminate();
    },
  };
}

/** Makes a reader of a connection's bytes, which gives answers whole. */
export function answerReader(
  dropBodies: boolean,
  onAnswer: (answer: Answer) => void,
): (chunk: Buffer) => void {
  let start = NOTHING;
  let head: string | undefined;
  let status = 0;
  let length = 0;
  let received = 0;
  let parts: Buffer[] = [];
  /** What is left of a chunk and of the line end behind it; undefined before its size. */
  let left: number | undefined;
  let isChunked = false;
  // The last answer that came in one piece: one of the same shape needs no parsing.
  let usual = { bytes: 0, headBytes: 0, answer: NO_ANSWER };

  function isUsual(chunk: Buffer): boolean {
    const { bytes, headBytes, answer } = usual;
    if (chunk.byteLength !== bytes || head !== undefined || start.byteLength > 0) return false;
    const status = (digit(chunk, 9) * 10 + digit(chunk, 10)) * 10 + digit(chunk, 11);
    return status === answer.status && chunk.readUInt32BE(headBytes) === HEAD_END_NUMBER;
  }

  function take(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, length - received);
    received += piece.byteLength;
    if (!dropBodies && piece.byteLength > 0) parts.push(Buffer.from(piece));
    if (received < length) return NOTHING;
    const answer = {
      status,
      head: head ?? '',
      body: parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts),
      bodyBytes: length,
    };
    head = undefined;
    received = 0;
    parts = [];
    onAnswer(answer);
    return bytes.subarray(piece.byteLength);
  }

  /** Of a body in chunks (RFC 9112, 7.1): its length is known when the empty one has come. */
  function takeChunk(bytes: Buffer): Buffer {
    let rest = bytes;
    if (left === undefined) {
      const end = rest.indexOf('\r\n');
      if (end < 0) {
        start = Buffer.from(rest);
        return NOTHING;
      }
      const size = Number.parseInt(rest.toString('latin1', 0, end), 16);
      if (size === 0) length = received;
      left = size + 2;
      rest = rest.subarray(end + 2);
    }
    const piece = rest.subarray(0, left);
    const data = piece.subarray(0, Math.max(0, left - 2));
    if (!dropBodies && data.byteLength > 0) parts.push(Buffer.from(data));
    received += data.byteLength;
    left -= piece.byteLength;
    if (left > 0) return NOTHING;
    left = undefined;
    rest = rest.subarray(piece.byteLength);
    if (received === length) take(NOTHING);
    return rest;
  }

  return (chunk) => {
    if (dropBodies && isUsual(chunk)) {
      onAnswer(usual.answer);
      return;
    }
    let rest = chunk;
    if (start.byteLength > 0 && head !== undefined) {
      rest = Buffer.concat([start, rest]);
      start = NOTHING;
    }
    while (rest.byteLength > 0) {
      if (head !== undefined && isChunked) {
        rest = takeChunk(rest);
        if (start.byteLength > 0) return;
        continue;
      }
      if (head === undefined) {
        const bytes = start.byteLength === 0 ? rest : Buffer.concat([start, rest]);
        const end = bytes.indexOf(HEAD_END);
        if (end < 0) {
          start = Buffer.from(bytes);
          return;
        }
        start = NOTHING;
        head = bytes.toString('latin1', 0, end);
        status = Number(head.slice(9, 12));
        isChunked = CHUNKED.test(head);
        length = isChunked ? Number.POSITIVE_INFINITY : Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
        rest = bytes.subarray(end + 4);
        if (bytes === chunk && rest.byteLength === length) {
          const answer = { status, head, body: NOTHING, bodyBytes: length };
          usual = { bytes: bytes.byteLength, headBytes: end, answer };
        }
        if (status === 100) {
          head = undefined;
          continue;
        }
        if (status === 204 || status === 304) length = 0;
        if (isChunked) continue;
      }
      rest = take(rest);
      if (head !== undefined) return;
    }
    if (head !== undefined && !isChunked && length === received) take(NOTHING);
  };
}

function digit(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - 48;
}
