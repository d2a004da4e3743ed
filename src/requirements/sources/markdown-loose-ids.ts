// Ids that a text of a Markdown source begins with in forms that may begin an item and may only name
// one: with a link to elsewhere in the file, or in bold with a title that a full stop ends.
import { ID_SOURCE, looksLikeId } from './item-ids.ts';

const ID = `(?<id>${ID_SOURCE})`;
const FORMS = [
  `(?<mark>\\*{2,3}|__)${ID}\\s+[^*_\\s][^*_]{0,200}?(?:[.:]\\k<mark>|\\k<mark>[.:])`,
  `(?<mark>\\*{1,3}|_{1,3})\\[${ID}\\](?::?\\k<mark>|\\k<mark>:)`,
  `(?<mark>\\*|_)${ID}\\k<mark>`,
  `${ID}[.)]`,
  `\\[(?<mark>\\*{1,3}|_{1,3})${ID}\\k<mark>\\]\\(#[^()\\s]*\\):?`,
].map((form) => new RegExp(`^${form}\\s+(?<rest>\\S.*)$`, 's'));
const MOST = 2000;

/** The id that a line may begin an item with, and the text that follows it; null where there is none. */
export function looseStart(text: string): { id: string; rest: string } | null {
  const line = text.slice(0, MOST);
  for (const form of FORMS) {
    const { id = '', rest = '' } = form.exec(line)?.groups ?? {};
    if (looksLikeId(id)) return { id, rest };
  }
  return null;
}
