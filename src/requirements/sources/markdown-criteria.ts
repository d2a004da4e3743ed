// Lines in bold among the criteria of a Markdown source that stand below a label: names of scenarios,
// which are of the criteria, and labels of what comes after these.
import type { Block } from './markdown-blocks.ts';
import { withoutBreak } from './markdown-content.ts';
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

/** A line all in bold, without the end of a sentence. */
const IN_BOLD = /^(\*{2,3}|__)(?<name>[^*_]{1,80}?)(?::\1|\1\s?:|\1)$/;
/** One to three words and a colon. */
const PLAIN = /^(?<name>\p{Lu}[\p{L}\p{N}/&'-]*(?: [\p{L}\p{N}/&'-]+){0,2})\s?:$/u;
/** How a sentence begins that says what is true of the item. */
const SENTENCE =
  /^(?:the|an?|this|these|those|that|it|we|you|they|users?|when|if|as|so|done|must|should|shall|checks?|verify|ensure)\b/i;
const CRITERIA = /\bcriteri(?:on|a)$/i;
const TASK_LINE = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]/;

/**
 * Whether a list of tasks below a text is of a label there, such as `**Tasks:**` or `To do:`, that names
 * none of the criteria; or follows such a list.
 *
 * @param owner - the item, with what stands right before the list
 */
export function isOfOtherLabel({ lead, statement }: Draft): boolean {
  const text = statement.at(-1) ?? '';
  if (lead === null || !text.endsWith(lead)) return false;
  const line = withoutBreak(lead).trim();
  // A list of criteria is no text: this one is below a label itself.
  if (TASK_LINE.test(text)) return true;
  const bold = IN_BOLD.exec(line)?.groups?.name;
  // A short last line of a paragraph is the end of a sentence.
  const isAlone = text.length === lead.length;
  const plain = isAlone ? PLAIN.exec(line)?.groups?.name : undefined;
  const name = (bold ?? plain ?? '').trim();
  if (name === '' || /[.!?]$/.test(name) || CASE.test(name) || CRITERIA.test(name)) return false;
  return bold !== undefined || !SENTENCE.test(name);
}
