// The coverage tags of OpenFastTrace that stand in comments of Markdown: `<!-- [doc->req~login~1] -->`.
// OpenFastTrace makes items of them whose names change with their lines; here they are told.
import { lineUses } from './openfasttrace-patterns.ts';
import type { FileNotes } from './source-result.ts';

const PART = '[\\p{L}\\p{N}_-]+';
const TAG = new RegExp(
  `\\[\\s*[A-Za-z]+(?:~[\\p{L}\\p{N}_.-]*(?:~[0-9]+)?)?\\s*->\\s*[A-Za-z]+~${PART}(?:\\.${PART})*~[0-9]+\\s*(?:>>[A-Za-z,\\s]+)?\\]`,
  'gu',
);
const MOST_SHOWN = 10;

/**
 * Tells of the coverage tags in comments of one line.
 *
 * @param lines - the lines of the file
 * @param from - how many of them are front matter
 */
export function tellCoverageTags(lines: readonly string[], from: number, notes: FileNotes): void {
  if (!lines.some(mayHaveTag)) return;
  const uses = lineUses();
  lines.slice(from).forEach((line, at) => {
    if (uses.of(line) !== 'counts') return;
    const tags = coverageTagsIn(line);
    if (tags.length === 0) return;
    const more = tags.length > MOST_SHOWN ? ` and ${tags.length - MOST_SHOWN} more` : '';
    const named = tags.slice(0, MOST_SHOWN).map((tag) => tag.slice(0, 200));
    const detail = `Coverage tags in comments are not read, so that nothing is covered by: ${named.join(', ')}${more}.`;
    notes.lose('text_ignored', from + at + 1, detail);
  });
}

/** The coverage tags in the comments that begin and end on a line. */
export function coverageTagsIn(line: string): string[] {
  if (!mayHaveTag(line)) return [];
  return commentsOf(line).flatMap((comment) => comment.match(TAG) ?? []);
}

function mayHaveTag(line: string): boolean {
  return line.includes('<!--') && line.includes('->') && line.includes('~');
}

/** The texts of the comments that begin and end on a line. */
function commentsOf(line: string): string[] {
  const comments: string[] = [];
  for (let start = line.indexOf('<!--'); start >= 0; ) {
    const end = line.indexOf('-->', start + 4);
    if (end < 0) break;
    comments.push(line.slice(start + 4, end));
    start = line.indexOf('<!--', end);
  }
  return comments;
}
