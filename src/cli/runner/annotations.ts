// What GitHub reads of a job: annotations in its log, and the summary of a step.
import { appendFile } from 'node:fs/promises';

export interface AnnotatedPlace {
  file?: string | null;
  line?: number | null;
  title?: string;
}

/** A workflow command; see "Workflow commands for GitHub Actions". */
export function annotation(
  level: 'error' | 'warning' | 'notice',
  { file, line, title }: AnnotatedPlace,
  text: string,
): string {
  const properties = Object.entries({ file, line, title })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${escaped(String(value), /[%\r\n:,]/g)}`);
  const head = [level, properties.join()].filter((part) => part !== '').join(' ');
  return `::${head}::${escaped(text, /[%\r\n]/g)}`;
}

function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, (one) => encodeURIComponent(one).toUpperCase());
}

/** Text that tests or people wrote, as Markdown that shows it. */
export function markdownText(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_[\]|#>~@!]/g, '\\$&');
}

/** Adds to the summary of the step; does nothing outside of GitHub Actions. */
export async function addToSummary(
  lines: readonly string[],
  { GITHUB_STEP_SUMMARY: path }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (path) await appendFile(path, `${lines.join('\n')}\n`);
}
