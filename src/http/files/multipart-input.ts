// The framing of a multipart body (RFC 2046 section 5.1.1): where its parts begin and end, pulled
// from the source a chunk at a time.
import { Problem } from '../../errors.ts';

type InputLimits = { headerBytes: number; totalBytes: number };

/** The body is no complete, unambiguous multipart/form-data (RFC 7578, RFC 2046). */
export function malformed(detail: string): Problem {
  return new Problem('malformed_body', detail);
}

export function tooLarge(detail: string): Problem {
  return new Problem('too_large', detail);
}

const CRLF = Buffer.from('\r\n');
// Taken but for its last line break: a part may have no content at all, so that this line break is
// already the delimiter's.
const HEADERS_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

export class MultipartInput {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #limits: InputLimits;
  readonly #delimiter: Buffer;
  // RFC 2046 has the line break before a delimiter belong to it; the first one may have none.
  #buffer: Buffer = CRLF;
  #received = 0;
  #ended = false;
  #part = 0;
  #inContent = true;
  #lineBreak = CRLF.length;
  #pulling = false;

  constructor(body: AsyncIterable<Uint8Array>, boundary: string, limits: InputLimits) {
    this.#source = body[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#limits = limits;
  }

  /** Skips to the first part. Gives whether there is none. */
  async skipPreamble(): Promise<boolean> {
    const limit = this.#limits.headerBytes;
    let skipped = 0;
    for (let next = await this.#next(); next !== undefined; next = await this.#next()) {
      skipped += next.byteLength;
      if (skipped > limit) throw malformed('the body does not begin with a part');
    }
    return this.#endOfDelimiter();
  }

  /** The bytes of the part that was just opened, once. */
  content(): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#contentOf(this.#part);
  }

  async *#contentOf(part: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (part !== this.#part) throw new Error('a part was read after the next was asked for');
      const next = await this.#next();
      if (next === undefined) return;
      yield next;
    }
  }

  /** Skips what is left of the part. Gives whether it was the last. */
  async skipContent(): Promise<boolean> {
    this.#part++;
    while ((await this.#next()) !== undefined);
    return this.#endOfDelimiter();
  }

  /** The header block of the part that comes. */
  async readHeaders(): Promise<Buffer> {
    const block = await this.#readUntil(HEADERS_END, CRLF.length, 'a part header');
    this.#lineBreak = CRLF.length;
    this.#inContent = true;
    return block;
  }

  // Everything before a mark, of which `taken` bytes are taken too.
  async #readUntil(mark: Buffer, taken: number, what: string): Promise<Buffer> {
    const limit = this.#limits.headerBytes;
    for (;;) {
      const at = this.#buffer.indexOf(mark);
      if (at > limit || (at === -1 && this.#buffer.length > limit + mark.length)) {
        throw tooLarge(`${what} is larger than ${limit} bytes`);
      }
      if (at !== -1) {
        const found = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + taken);
        return found;
      }
      await this.#need();
    }
  }

  /** Reads to the end of the body, where nothing of size may follow the last delimiter. */
  async skipEpilogue(): Promise<void> {
    let skipped = this.#buffer.length;
    for (let more = true; more; ) {
      if (skipped > this.#limits.headerBytes) {
        throw malformed('the body goes on after its last part');
      }
      this.#buffer = NOTHING;
      more = await this.#pull();
      skipped += this.#buffer.length;
    }
  }

  /** Cancels the body, unless it was read to its end. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // A body that is still being waited for cannot be asked to end: its wait would come first.
    const cancelled = Promise.resolve(this.#source.return?.()).catch(() => undefined);
    if (!this.#pulling) await cancelled;
  }

  // The next bytes of content, or undefined when its delimiter was reached and taken.
  async #next(): Promise<Buffer | undefined> {
    while (this.#inContent) {
      const at = this.#buffer.indexOf(this.#delimiter);
      const end = at === -1 ? this.#buffer.length - this.#heldBack() : at;
      if (end > 0) {
        const content = this.#buffer.subarray(this.#lineBreak, end);
        this.#buffer = this.#buffer.subarray(end);
        this.#lineBreak = 0;
        if (content.length > 0) return content;
      } else if (at === 0) {
        this.#buffer = this.#buffer.subarray(this.#delimiter.length);
        this.#inContent = false;
      } else {
        await this.#need();
      }
    }
    return undefined;
  }

  // How many bytes at the end of the buffer may be the beginning of a delimiter.
  #heldBack(): number {
    const from = Math.max(0, this.#buffer.length - this.#delimiter.length + 1);
    for (
      let at = this.#buffer.indexOf(13, from);
      at !== -1;
      at = this.#buffer.indexOf(13, at + 1)
    ) {
      const tail = this.#buffer.subarray(at);
      if (tail.equals(this.#delimiter.subarray(0, tail.length))) return tail.length;
    }
    return 0;
  }

  // After a delimiter: `--` ends the body, white space and a line break open a part. Anything else
  // would be a boundary within the content, which RFC 2046 forbids: refused, not guessed at.
  async #endOfDelimiter(): Promise<boolean> {
    while (this.#buffer.length < 2) await this.#need();
    if (this.#buffer[0] === 45 && this.#buffer[1] === 45) {
      this.#buffer = this.#buffer.subarray(2);
      return true;
    }
    const padding = await this.#readUntil(CRLF, CRLF.length, 'a delimiter');
    if (!/^[ \t]*$/.test(padding.toString('latin1'))) {
      throw malformed('a boundary is followed by other text');
    }
    return false;
  }

  async #need(): Promise<void> {
    if (!(await this.#pull())) throw malformed('the body ends before its last part');
  }

  async #pull(): Promise<boolean> {
    if (this.#pulling) throw new Error('a multipart body was read from two places at once');
    this.#pulling = true;
    try {
      const { done, value } = await this.#source.next();
      if (done) {
        this.#ended = true;
        return false;
      }
      this.#received += value.byteLength;
      if (this.#received > this.#limits.totalBytes) {
        throw tooLarge(`the body is larger than ${this.#limits.totalBytes} bytes`);
      }
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      return true;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'too_large')) this.#ended = true;
      throw error;
    } finally {
      this.#pulling = false;
    }
  }
}
