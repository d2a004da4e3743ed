// The end of what a command prints: as much as fits, whatever it goes on to write.
import { stripVTControlCharacters } from 'node:util';

const MAX_BYTES = 1024 * 1024;

export class ConsoleLog {
  /** The agent's own lines. */
  readonly notes: string[] = [];
  private chunks: Buffer[] = [];
  private size = 0;
  private dropped = 0;
  private readonly max: number;

  /** @param max - bytes that are stored at most */
  constructor(max = MAX_BYTES) {
    this.max = max;
  }

  write(chunk: Uint8Array): void {
    this.chunks.push(Buffer.from(chunk));
    this.size += chunk.length;
    // Put together now and then: many small ones would weigh more than what they hold.
    if (this.size >= 2 * this.max || this.chunks.length >= 4096) this.join();
  }

  /** Adds a line of the agent's own. */
  note(text: string): void {
    this.notes.push(text);
    const last = this.join().at(-1);
    this.write(Buffer.from(`${last === undefined || last === 0x0a ? '' : '\n'}pqrs: ${text}\n`));
  }

  /** What is stored, with a line in front that says how much is not. */
  bytes(): Buffer {
    const end = this.join();
    if (this.dropped === 0) return end;
    return Buffer.concat([
      Buffer.from(`pqrs: ${this.dropped} bytes before this are left out\n`),
      end,
    ]);
  }

  /** The last lines as plain text, at most so many bytes in UTF-8. */
  tail(bytes: number): string {
    const plain = stripVTControlCharacters(wholeCharacters(this.join().subarray(-2 * bytes)))
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '');
    const end = Buffer.from(plain);
    return wholeCharacters(end.subarray(Math.max(0, end.length - bytes)));
  }

  private join(): Buffer {
    const all = Buffer.concat(this.chunks);
    const end = all.subarray(Math.max(0, all.length - this.max));
    this.dropped += all.length - end.length;
    this.chunks = [Buffer.from(end)];
    this.size = end.length;
    return end;
  }
}

/** UTF-8 from where its first character begins. */
function wholeCharacters(bytes: Buffer): string {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString('utf8');
}
