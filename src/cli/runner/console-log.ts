// The end of what a command says: as much as fits, whatever it goes on to write.
import { stripVTControlCharacters } from 'node:util';

export interface ConsoleLog {
  write(chunk: Uint8Array): void;
  /** Adds a line of the agent's own. */
  note(text: string): void;
  /** The agent's own lines. */
  notes(): readonly string[];
  /** What is kept, with a line in front that tells how much is not. */
  bytes(): Buffer;
  /** The last lines as plain text, at most so many bytes in UTF-8. */
  tail(bytes: number): string;
}

const KEPT_BYTES = 1024 * 1024;

/**
 * Starts a log.
 *
 * @param kept - bytes that are kept at most
 */
export function createConsoleLog(kept = KEPT_BYTES): ConsoleLog {
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = 0;
  const notes: string[] = [];

  function write(chunk: Uint8Array): void {
    const fits = Buffer.from(chunk.subarray(Math.max(0, chunk.length - kept)));
    dropped += chunk.length - fits.length;
    chunks.push(fits);
    size += fits.length;
    // Put together now and then: many small ones would weigh more than what they hold.
    if (size < 2 * kept && chunks.length < 4096) return;
    const all = Buffer.concat(chunks);
    const end = Buffer.from(all.subarray(Math.max(0, all.length - kept)));
    dropped += all.length - end.length;
    chunks = [end];
    size = end.length;
  }

  function end(bytes: number): Buffer {
    const all = Buffer.concat(chunks);
    return all.subarray(Math.max(0, all.length - bytes));
  }

  return {
    write,
    note(text) {
      notes.push(text);
      const last = chunks.at(-1);
      const fresh = last === undefined || last.length === 0 || last.at(-1) === 0x0a;
      write(Buffer.from(`${fresh ? '' : '\n'}pqrs: ${text}\n`));
    },
    notes: () => notes,
    bytes() {
      const shown = end(kept);
      const lost = dropped + size - shown.length;
      if (lost === 0) return shown;
      return Buffer.concat([Buffer.from(`pqrs: ${lost} bytes before this are left out\n`), shown]);
    },
    tail: (bytes) => lastOf(plain(end(2 * bytes)), bytes),
  };
}

/** Text without colours and control characters, as reports hold it. */
function plain(bytes: Buffer): string {
  return (
    stripVTControlCharacters(wholeCharacters(bytes))
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '')
  );
}

/** UTF-8 from where its first character begins. */
function wholeCharacters(bytes: Buffer): string {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString('utf8');
}

/** The end of a text, in at most so many bytes of UTF-8. */
function lastOf(text: string, bytes: number): string {
  const all = Buffer.from(text);
  return all.length <= bytes ? text : wholeCharacters(all.subarray(all.length - bytes));
}
