// The coverage tags of OpenFastTrace as texts of a Gherkin file have them: `[utest->req~login~1]`.
import { idOfTag } from './gherkin-ids.ts';
import { findId, idText } from './openfasttrace-patterns.ts';

/** Something in brackets that is a coverage tag, or is written like one. */
export interface CoverageTag {
  /** As it is written, with its brackets. */
  text: string;
  /** The ids that it covers. */
  ids: string[];
  /** What of it is not understood, as a sentence; null where all is. */
  fault: string | null;
  /** Whether it has a name or a revision of its own, or says what it needs. */
  saysMore: boolean;
}

const BRACKETS = /\[([^\][\n]{1,600})\]/g;
const ARROW = '->';
/** A kind of artifact, with its own name and revision. */
const SOURCE = /^\s*[A-Za-z]+(?:~[\p{L}\p{N}_.-]*(?:~[0-9]+)?)?\s*$/u;
const SOURCE_LIKE = /^\s*[\p{L}\p{N}_-]+(?:~[^>]*)?\s*$/u;
/** A comma between ids: the older form of an id has one of its own. */
const COMMA = /,(?!\s*v[0-9])/;
const MOST_SHOWN = 200;

/** The coverage tags in a text, and what is written like one. */
export function coverageTagsIn(text: string): CoverageTag[] {
  if (!text.includes(ARROW)) return [];
  return [...text.matchAll(BRACKETS)].flatMap(([, content = '']) => tagOf(content) ?? []);
}

/** A text without its coverage tags and without what is written like one. */
export function withoutCoverageTags(text: string): string {
  if (!text.includes(ARROW)) return text;
  return text.replace(BRACKETS, (whole, content: string) => (tagOf(content) ? '' : whole));
}

function tagOf(content: string): CoverageTag | null {
  const at = content.indexOf(ARROW);
  const source = content.slice(0, Math.max(at, 0));
  if (at < 0 || !SOURCE_LIKE.test(source)) return null;
  const [targets = '', ...needs] = content.slice(at + ARROW.length).split('>>');
  const { ids, unread } = idsOf(targets);
  if (ids.length === 0 && targets.trim() !== '' && !targets.includes('~')) return null;
  const text = `[${content}]`;
  const saysMore = source.includes('~') || needs.length > 0;
  if (!SOURCE.test(source)) return { text, ids: [], fault: sourceFault(text), saysMore };
  const fault = ids.length > 0 && unread === '' ? null : targetFault(text, ids, unread);
  return { text, ids, fault, saysMore };
}

/** The ids behind the arrow of a tag, and what stands there beside them. */
function idsOf(targets: string): { ids: string[]; unread: string } {
  const ids: string[] = [];
  const unread: string[] = [];
  for (const target of targets.split(COMMA)) {
    const found = findId(target);
    const others = found ? [] : idOfTag(target.trim());
    ids.push(...(found ? [idText(found.id)] : others));
    if (others.length === 0) unread.push(found ? found.rest : target.trim());
  }
  return { ids: [...new Set(ids)], unread: unread.filter((one) => one !== '').join(', ') };
}

function sourceFault(text: string): string {
  return `The coverage tag ${shown(text)} links nothing: before its arrow stands a kind of artifact of letters A to Z alone, and maybe a name and a revision behind tildes.`;
}

function targetFault(text: string, ids: readonly string[], unread: string): string {
  const linked = ids.length === 0 ? 'links nothing' : `links no more than ${shown(ids.join(', '))}`;
  const said = unread === '' ? '' : `, and not ${shown(unread)}`;
  return `The coverage tag ${shown(text)} ${linked}: behind its arrow stand ids such as req~login~1 with commas between them${said}.`;
}

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
