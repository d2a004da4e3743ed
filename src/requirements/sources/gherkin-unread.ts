// What a Gherkin file says that no scenario holds: descriptions, names of backgrounds and of examples,
// steps that are below no scenario, and rules without one.
import { type Dialect, dialects } from '@cucumber/gherkin';
import type { Background, Examples, Feature, Rule } from '@cucumber/messages';
import type { FindingCode } from './finding-codes.ts';
import type { ParsedFeature } from './gherkin-parser.ts';
import type { FileNotes } from './source-result.ts';

/** A title with what is said below it. */
interface Described {
  description: string;
  location: { line: number };
}

/** Something below which a scenario, a background or examples may stand. */
type Scope = Pick<Feature | Rule, 'children'> & Described;

/** A description, and where it stands. */
interface Description {
  text: string;
  /** The line of its title. */
  below: number;
  /** How many of its first lines are a title. */
  skipped: number;
  /** Whether steps could stand there. */
  takesSteps: boolean;
  /** How many lines like steps are no text of people: what stands alone may be a sentence. */
  fewest: number;
}

/** The tags of OpenFastTrace, which are read. */
const COVERAGE = /\[[^\][]{0,300}->[^\][]{0,300}\]/g;
const TITLE_LIKE = /^\p{L}+(?: \p{L}+)?\s?:(?:\s|$)/u;

/**
 * Tells of what is in none of the scenarios of a file: of texts once, of all else where it stands.
 *
 * @param lines - those of the file
 * @param isEmpty - whether no scenario is in it, which is told already
 */
export function tellUnread(
  features: readonly ParsedFeature[],
  lines: readonly string[],
  notes: FileNotes,
  isEmpty: boolean,
): void {
  const texts: number[] = [];
  const names: number[] = [];
  for (const { feature, before } of features) {
    for (const { location } of namedParts(feature)) names.push(before + location.line);
    const words = stepsOf(feature.language);
    const told = new Set<number>();
    for (const description of descriptionsOf(feature)) {
      const { text, below, skipped, takesSteps } = description;
      if (text.replace(COVERAGE, '').trim() === '') continue;
      const begins = firstLine(lines, before + below);
      const line = skipped === 0 ? begins : firstLine(lines, begins - 1 + skipped);
      if (!areSteps(description, words)) {
        texts.push(line);
        continue;
      }
      const detail = takesSteps
        ? 'A table stands here without a step before it; it is left out.'
        : 'What stands here looks like steps, but is below no scenario; it is left out.';
      notes.lose('unread_steps', line, detail);
      told.add(below);
    }
    for (const { rule } of feature.children) {
      if (!rule || isEmpty || hasScenario(rule)) continue;
      tellEmpty(rule, before, told.has(rule.location.line), notes);
    }
  }
  if (isEmpty) return;
  tellOnce('unread_description', 'A description', texts, notes);
  tellOnce('unread_name', 'The name of a background or of examples', names, notes);
}

function tellOnce(
  code: FindingCode,
  what: string,
  lines: readonly number[],
  notes: FileNotes,
): void {
  const [first] = lines;
  if (first === undefined) return;
  const times = lines.length === 1 ? '' : ` (${lines.length} times, first here)`;
  notes.note(code, first, `${what} is in no scenario and is not kept${times}.`);
}

function tellEmpty(
  { tags, children, location }: Rule,
  before: number,
  hasSteps: boolean,
  notes: FileNotes,
): void {
  const line = before + location.line;
  if (tags.length + children.length === 0) {
    // Steps that begin no scenario are told where they stand.
    if (!hasSteps) notes.note('empty_rule', line, 'The rule has no scenario.');
    return;
  }
  const detail = 'The rule has no scenario; its tags and its background are left out.';
  notes.lose('empty_rule', line, detail);
}

function hasScenario({ children }: Rule): boolean {
  return children.some(({ scenario }) => scenario);
}

/** The backgrounds and examples of a feature that have names, in their order. */
function namedParts(
  { children }: Pick<Scope, 'children'>,
  found: (Background | Examples)[] = [],
): (Background | Examples)[] {
  for (const child of children) {
    const { background, scenario } = child;
    for (const part of [...(background ? [background] : []), ...(scenario?.examples ?? [])]) {
      if (part.name.trim() !== '') found.push(part);
    }
    if ('rule' in child && child.rule) namedParts(child.rule, found);
  }
  return found;
}

/** The descriptions of a feature that are no titles, in their order. */
function descriptionsOf(scope: Scope, found: Description[] = []): Description[] {
  const fewest = scope.children.length > 0 ? 2 : 1;
  const add = ({ location, description }: Described, takesSteps: boolean, isTitle = false) => {
    const text = isTitle ? withoutFirst(description) : description;
    const skipped = isTitle ? linesIn(description) - linesIn(text) : 0;
    found.push({ text, below: location.line, skipped, takesSteps, fewest });
  };
  add(scope, false);
  for (const child of scope.children) {
    const { background, scenario } = child;
    if (background) add(background, true);
    if (scenario) {
      // The first paragraph is the title of one that has none.
      add(scenario, true, scenario.name.trim() === '');
      for (const one of scenario.examples) add(one, false);
    }
    if ('rule' in child && child.rule) descriptionsOf(child.rule, found);
  }
  return found;
}

function withoutFirst(description: string): string {
  const end = /\n[ \t]*(?:\n|$)/.exec(description);
  return end ? description.slice(end.index + 1) : '';
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

/** The line of a description below that of its title. */
function firstLine(lines: readonly string[], below: number): number {
  let at = below;
  while (at < lines.length && !/^\s*[^\s#@]/.test(lines[at] ?? '')) at++;
  return at < lines.length ? at + 1 : below;
}

/** Whether a text is made of steps or, where these may stand, of a table: it is no text of people. */
function areSteps({ text, takesSteps, fewest }: Description, words: readonly string[]): boolean {
  const lines = text.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isRow = (line: string) => line.startsWith('|') && line.length > 1;
  const isStep = (line: string) => words.some((word) => line.startsWith(word));
  if (takesSteps) return said.every(isRow);
  const isLike = (line: string) => isStep(line) || isRow(line) || TITLE_LIKE.test(line);
  return said.length >= fewest && said.some(isStep) && said.every(isLike);
}

function stepsOf(language: string): string[] {
  const { given, when, and, but, then } = dialects[language] as Dialect;
  // A star begins the item of a list as well.
  return [...given, ...when, ...then, ...and, ...but].filter((word) => !word.startsWith('*'));
}
