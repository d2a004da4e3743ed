// A handoff for reading: the same document as Markdown, each section a nested list.
import type { HandoffPart } from './model.ts';

export function handoffMarkdown({ schemaVersion: _, ...sections }: HandoffPart): string {
  const { blockers } = sections;
  // What a web page filed is quoted nowhere that reads as instructions.
  const items = blockers?.items.map((one) =>
    one.untrusted ? { ...one, title: 'filed by a web page' } : one,
  );
  const shown = blockers ? { ...sections, blockers: { ...blockers, items } } : sections;
  return Object.entries(shown)
    .map(([name, value]) => `## ${name}\n\n${[...bullets(value)].join('\n')}\n`)
    .join('\n');
}

/** What is sent or answered: JSON as it is. */
const AS_JSON = new Set(['request', 'payload', 'answer']);

function* bullets(value: object, indent = ''): Generator<string> {
  for (const [name, one] of Object.entries(value)) {
    const lead = Array.isArray(value) ? `${indent}-` : `${indent}- ${plain(name)}:`;
    if (AS_JSON.has(name)) yield `${lead} ${code(JSON.stringify(one))}`;
    else if (fitsLine(one)) yield `${lead} ${line(one)}`;
    else {
      yield lead;
      yield* bullets(one, `${indent}  `);
    }
  }
}

const isList = (value: unknown) =>
  Array.isArray(value) && value.every((one) => !(one instanceof Object));

function fitsLine(value: unknown): boolean {
  if (!(value instanceof Object) || isList(value)) return true;
  if (Array.isArray(value)) return false;
  return Object.values(value).every((one) => !(one instanceof Object) || isList(one));
}

function line(value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  if (!(value instanceof Object)) return plain(String(value));
  if (Array.isArray(value)) return value.map(line).join(', ');
  return Object.entries(value)
    .map(([name, one]) => `${plain(name)} ${line(one)}`)
    .join('; ');
}

function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<>|&]|^[#+=-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}

function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
