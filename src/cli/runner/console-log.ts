// The end of what a command prints, and the agent's own lines in it.
import { stripVTControlCharacters } from 'node:util';

const MAX_BYTES = 1024 * 1024;

export type ConsoleLog = ReturnType<typeof createConsoleLog>;

export function createConsoleLog(max = MAX_BYTES) {
  const notes: string[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  let dropped = 0;

  function joined(): Buffer {
    const all = Buffer.concat(chunks);
    const end = all.subarray(Math.max(0, all.length - max));
    dropped += all.length - end.length;
    chunks = [Buffer.from(end)];
    size = end.length;
    return end;
  }

  function write(chunk: Uint8Array): void {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    // Put together now and then: many small ones would weigh more than what they hold.
    if (size >= 2 * max || chunks.length >= 4096) joined();
  }

  return {
    notes,
    write,
    note(text: string): void {
      notes.push(text);
      const last = joined().at(-1);
      write(Buffer.from(`${last === undefined || last === 0x0a ? '' : '\n'}pqrs: ${text}\n`));
    },
    /** What is stored, with a line in front that says how much is not. */
    bytes(): Buffer {
      const end = joined();
      if (dropped === 0) return end;
      return Buffer.concat([Buffer.from(`pqrs: ${dropped} bytes before this are left out\n`), end]);
    },
    /** The last lines as plain text, at most so many bytes in UTF-8. */
    tail(bytes: number): string {
      const plain = stripVTControlCharacters(wholeCharacters(joined().subarray(-2 * bytes)))
        .replaceAll('\r\n', '\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
        .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g, '');
      const end = Buffer.from(plain);
      return wholeCharacters(end.subarray(Math.max(0, end.length - bytes)));
    },
  };
}

/** UTF-8 from where its first character begins. */
function wholeCharacters(bytes: Buffer): string {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString('utf8');
}
