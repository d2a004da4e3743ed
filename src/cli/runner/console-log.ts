// The end of what a command prints, and the agent's own lines in it.
import { cleanText } from '../../quality/reports/text.ts';

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
    /** The last bytes as plain text. */
    tail(bytes: number): string {
      const text = joined().subarray(-bytes).toString('utf8');
      return cleanText(text)
        .replaceAll('\r', '')
        .replace(/^\ufffd+/, '');
    },
  };
}
