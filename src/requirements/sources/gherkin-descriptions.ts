// The descriptions of a Gherkin text: texts of people, and steps that begin nothing.
import { type Dialect, dialects } from '@cucumber/gherkin';
import type { Feature, Rule } from '@cucumber/messages';
import { withoutCoverageTags } from './gherkin-coverage-tags.ts';
import type { ParsedFeature } from './gherkin-parser.ts';

/** What a description is. */
export interface DescriptionPart {
  /** Where it begins, in the file. */
  line: number;
  /** The line of its title, as the parser counts. */
  below: number;
  /** `table`: one that stands before the steps; `steps`: some that are below no scenario. */
  kind: 'text' | 'table' | 'steps';
}

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

const TITLE_LIKE = /^\p{L}+(?: \p{L}+)?\s?:(?:\s|$)/u;

/**
 * What the descriptions of a feature say that is read nowhere.
 *
 * @param lines - those of the file
 */
export function descriptionsIn(
  { feature, before }: ParsedFeature,
  lines: readonly string[],
): DescriptionPart[] {
  const words = stepsOf(feature.language);
  return descriptionsOf(feature).flatMap((description) => {
    const { text, below, skipped, takesSteps } = description;
    // Coverage tags are read or told by themselves.
    if (withoutCoverageTags(text).trim() === '') return [];
    const begins = firstLine(lines, before + below);
    const first = skipped === 0 ? begins : firstLine(lines, begins - 1 + skipped);
    const line = lineSaid(text, lines, first);
    const kind = !areSteps(description, words) ? 'text' : takesSteps ? 'table' : 'steps';
    return [{ line, below, kind }];
  });
}

/** The descriptions of a feature that are no titles, in their order. */
function descriptionsOf(scope: Scope, found: Description[] = []): Description[] {
  const fewest = scope.children.length > 0 ? 2 : 1;
  const add = ({ location, description }: Described, takesSteps: boolean) => {
    const below = location.line;
    found.push({ text: description, below, skipped: 0, takesSteps, fewest });
  };
  add(scope, false);
  for (const child of scope.children) {
    const { background, scenario } = child;
    if (background) add(background, true);
    if (scenario) {
      found.push({ ...descriptionOf(scenario), fewest });
      for (const one of scenario.examples) add(one, false);
    }
    if ('rule' in child && child.rule) descriptionsOf(child.rule, found);
  }
  return found;
}

function descriptionOf({
  name,
  description,
  location,
}: Described & { name: string }): Omit<Description, 'fewest'> {
  // The first paragraph is the title of one that has none.
  const text = name.trim() === '' ? withoutFirst(description) : description;
  const skipped = linesIn(description) - linesIn(text);
  return { text, below: location.line, skipped, takesSteps: true };
}

function withoutFirst(description: string): string {
  const end = /\n[ \t]*(?:\n|$)/.exec(description);
  return end ? description.slice(end.index + 1) : '';
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

/**
 * Where the lines of a description stand in the file: comments among them are none of it.
 *
 * @param below - the line of its title in the file
 */
export function linesOf(text: string, lines: readonly string[], below: number): number[] {
  let at = firstLine(lines, below) - 1;
  return text.split('\n').map(() => {
    while (lines[at]?.trimStart().startsWith('#')) at++;
    at++;
    return at;
  });
}

/** The first line of a description, which begins at a line of the file, with more than coverage tags. */
function lineSaid(text: string, lines: readonly string[], first: number): number {
  if (!text.includes('->')) return first;
  const said = text.replace(/^(?:[ \t]*\n)+/, '');
  const at = said.split('\n').findIndex((line) => withoutCoverageTags(line).trim() !== '');
  return linesOf(said, lines, first - 1)[at] ?? first;
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
