// The coverage tags of OpenFastTrace that stand in comments of Markdown, `<!-- [doc->req~login~1] -->`,
// and in files of code that are given as OpenFastTrace.
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
 * Tells of the coverage tags in comments of one line; in code, of all.
 *
 * @param lines - the lines of the file
 * @param from - how many of them are front matter
 * @param isCode - whether the file is one of code
 */
export function tellCoverageTags(
  lines: readonly string[],
  from: number,
  notes: FileNotes,
  isCode = false,
): void {
  const tagsIn = isCode ? tagsWithin : coverageTagsIn;
  if (!lines.some((line) => tagsIn(line).length > 0)) return;
  const where = isCode ? 'of code' : 'in comments';
  const uses = lineUses();
  lines.slice(from).forEach((line, at) => {
    if (uses.of(line) !== 'counts') return;
    const tags = tagsIn(line);
    if (tags.length === 0) return;
    notes.lose('text_ignored', from + at + 1, unreadTags(`${where} are not read`, tags));
  });
}

/**
 * Says of coverage tags that they link nothing.
 *
 * @param why - what follows "Coverage tags"
 */
export function unreadTags(why: string, tags: readonly string[]): string {
  const more = tags.length > MOST_SHOWN ? ` and ${tags.length - MOST_SHOWN} more` : '';
  const named = tags.slice(0, MOST_SHOWN).map((tag) => tag.slice(0, 200));
  return `Coverage tags ${why}, so that nothing is covered by: ${named.join(', ')}${more}.`;
}

/** The coverage tags in the comments that begin and end on a line. */
export function coverageTagsIn(line: string): string[] {
  return line.includes('<!--') ? commentsOf(line).flatMap(tagsWithin) : [];
}

function tagsWithin(line: string): string[] {
  return line.includes('->') && line.includes('~') ? (line.match(TAG) ?? []) : [];
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
