// Gherkin that is written as Markdown (`login.feature.md`): it is read as Markdown, which is told.
import type { FileNotes } from './source-result.ts';

const TITLE = /^#{1,6}[ \t]+\p{L}[\p{L}' ]{0,40}:/u;

/** Tells of a file that is named as Gherkin in Markdown and has titles as that has. */
export function tellGherkin(lines: readonly string[], notes: FileNotes): void {
  if (!/\.feature\.(?:md|markdown)$/i.test(notes.path)) return;
  const at = lines.findIndex((line) => TITLE.test(line));
  if (at < 0) return;
  const detail =
    'The file is named as Gherkin in Markdown and is read as Markdown alone, so that it has no scenarios. In a .feature file, without the marks of Markdown, they are read.';
  notes.note('other_item_format', at + 1, detail);
}
