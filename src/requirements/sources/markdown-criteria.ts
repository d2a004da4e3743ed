// Lines in bold among the criteria of a Markdown source that stand below a label: names of scenarios,
// which are of the criteria, and labels of what comes after these.
import type { Block } from './markdown-blocks.ts';
import type { Draft, Mode } from './markdown-draft.ts';
import { labelOf, startOf } from './markdown-lists.ts';
import { isOtherPart } from './markdown-names.ts';

/** What a line begins with in bold or in emphasis, and what follows that. */
const MARKED =
  /^\s{0,3}(?<mark>\*{1,3}|_{1,3})(?=\S)(?<name>[^\n]{0,200}?\S)\k<mark>(?<after>.*)$/s;
/** How names of a case of a story begin, a number or symbols before them. */
const CASE =
  /^[^\p{L}]*(?:(?:main|basic|happy|unhappy|sad|edge|corner|negative|positive|alternat(?:iv)?e|error|exception(?:al)?|failure|success|good|bad)\s+)?(?:scenarios?|cases?|examples?|ac|acceptance|criteri(?:on|a)|given|when|then|rule|path|flow|variant)(?=[^\p{L}]|$)|^\d/iu;
const STEP = /^(?:given|when|then|and|but)$/i;

/**
 * What a line is to the criteria below a label, where it begins with a label in bold:
 * - `more`: it names more of them, so that text and a list below it are criteria. It begins as names of
 *   cases do (`**Scenario 2: bad**`, `**AC-3:** a`), or stands as the first such label did, where that
 *   came before any criterion (`**Card**` and then `**Cash**`);
 * - `end`: any other label. It, and what follows, is text again.
 *
 * @param isBegun - whether a criterion stands before it; else the form of its label is kept
 * @returns null for what is no label
 */
export function labelAmongCriteria(
  line: string,
  mode: Mode,
  isBegun: boolean,
): 'more' | 'end' | null {
  const { mark = '', name = '', after = '' } = MARKED.exec(line.slice(0, 400))?.groups ?? {};
  const inner = name.replace(/\s*:$/, '');
  const rest = after.replace(/^\s?:/, '');
  const isAlone = rest.trim() === '' || rest.trim() === '\\';
  const isCase = CASE.test(inner);
  const hasColon = inner !== name || rest !== after || (isCase && inner.includes(':'));
  // A sentence may be in bold, and so may its first words.
  if (inner === '' || (!hasColon && (!isAlone || /[.!?]$/.test(inner)))) return null;
  if (STEP.test(inner)) return mode.listed ? 'more' : null;
  if (mark.length === 1) return isCase ? 'more' : null;
  if (!isCase && isOtherPart(inner)) return 'end';
  const form = isAlone ? 'alone' : 'inline';
  if (!isBegun) mode.groups = form;
  return isCase || mode.groups === form || (isAlone && mode.groups) ? 'more' : 'end';
}

/** Whether a list right below one of criteria, with other marks, has more of them. */
export function hasMoreCriteria(block: Block | undefined, owner: Draft): boolean {
  if (block?.type !== 'list' || block.items.every((item) => labelOf(item) !== null)) return false;
  return block.items.every((item) => /^(?:AC(?![A-Z])|$)/i.test(startOf(item, owner)?.id ?? ''));
}
