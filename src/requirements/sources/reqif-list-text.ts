// A list of texts in one STRING, as our ReqIF writer puts it and the reader takes it back: an
// entry a line, so that people can read it, with `\n` and `\\` for what is inside an entry.

/** The text of a list that is not empty. */
export function encodeList(entries: readonly string[]): string {
  return entries.map((entry) => entry.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')).join('\n');
}

/** The list that a text stands for. */
export function decodeList(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\\([\\n])/g, (_, mark) => (mark === 'n' ? '\n' : '\\')));
}

/** The entries of a list that people wrote as text: its lines, or items with their further lines. */
export function listOfLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const marked = /^(?:[-*•]|\d{1,4}[.)])\s+/;
  const entries: string[] = [];
  const items = lines[0] !== undefined && marked.test(lines[0]);
  for (const line of lines) {
    if (items && /^\s/.test(line) && entries.length > 0) {
      entries[entries.length - 1] += `\n${line.trim()}`;
    } else {
      entries.push(line.trim().replace(marked, ''));
    }
  }
  return entries;
}
