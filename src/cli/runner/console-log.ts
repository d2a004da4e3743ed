// The end of what a command prints: as much as fits, whatever it goes on to write.
import { stripVTControlCharacters } from 'node:util';

export interface ConsoleLog {
  write(chunk: Uint8Array): void;
  /** Adds a line of the agent's own. */
  note(text: string): void;
  /** The agent's own lines. */
  notes: readonly string[];
  /** What is stored, with a line in front that says how much is not. */
  bytes(): Buffer;
  /** The last lines as plain text, at most so many bytes in UTF-8. */
  tail(bytes: number): string;
}

const MAX_BYTES = 1024 * 1024;

/** @param max - bytes that are stored at most */
export function createConsoleLog(max = MAX_BYTES): ConsoleLog {
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = 0;
  const notes: string[] = [];

  function write(chunk: Uint8Array): void {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    // Put together now and then: many small ones would weigh more than what they hold.
    if (size >= 2 * max || chunks.length >= 4096) join();
  }

  function join(): Buffer {
    const all = Buffer.concat(chunks);
    const end = all.subarray(Math.max(0, all.length - max));
    dropped += all.length - end.length;
    chunks = [Buffer.from(end)];
    size = end.length;
    return end;
  }

  return {
    write,
    notes,
    note(text) {
      notes.push(text);
      const end = join();
      const isFresh = end.length === 0 || end.at(-1) === 0x0a;
      write(Buffer.from(`${isFresh ? '' : '\n'}pqrs: ${text}\n`));
    },
    bytes() {
      const end = join();
      if (dropped === 0) return end;
      return Buffer.concat([Buffer.from(`pqrs: ${dropped} bytes before this are left out\n`), end]);
    },
    tail(bytes) {
      const end = Buffer.from(plain(join().subarray(-2 * bytes)));
      return wholeCharacters(end.subarray(Math.max(0, end.length - bytes)));
    },
  };
}

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
