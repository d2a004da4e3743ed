// What a Gherkin file says that no scenario holds: descriptions, names of backgrounds and of examples,
// steps that are below no scenario, and rules without one.
import type { Background, Examples, Feature, Rule } from '@cucumber/messages';
import type { FindingCode } from './finding-codes.ts';
import { type DescriptionPart, descriptionsIn } from './gherkin-descriptions.ts';
import type { ParsedFeature } from './gherkin-parser.ts';
import type { FileNotes } from './source-result.ts';

/** How many lines a finding names. */
const MOST_NAMED = 20;

/**
 * Tells of what is in none of the scenarios of a file: of texts once, of all else where it stands.
 *
 * @param lines - those of the file
 * @param isWhole - whether all of the file was parsed: a feature without scenarios has none
 */
export function tellUnread(
  features: readonly ParsedFeature[],
  lines: readonly string[],
  notes: FileNotes,
  isWhole: boolean,
): void {
  const texts: number[] = [];
  const names: number[] = [];
  for (const parsed of features) {
    const { feature, before } = parsed;
    const descriptions = descriptionsIn(parsed, lines);
    const isEmpty = !feature.children.some(holdsScenario);
    if (isEmpty) tellEmptyFeature(parsed, descriptions, notes, isWhole);
    tellSteps(descriptions, notes);
    if (isEmpty) continue;
    for (const { kind, line } of descriptions) if (kind === 'text') texts.push(line);
    for (const { location } of namedParts(feature)) names.push(before + location.line);
    const stepsBelow = new Set(
      descriptions.filter(({ kind }) => kind !== 'text').map(({ below }) => below),
    );
    for (const { rule } of feature.children) {
      if (!rule || rule.children.some(holdsScenario)) continue;
      tellEmptyRule(rule, before, stepsBelow.has(rule.location.line), notes);
    }
  }
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
  const times = lines.length === 1 ? '' : ` (${lines.length} times: ${named(lines)})`;
  notes.note(code, first, `${what} is in no scenario and is not kept${times}.`);
}

function named(lines: readonly number[]): string {
  const more = lines.length - MOST_NAMED;
  return `lines ${listed(more > 0 ? [...lines.slice(0, MOST_NAMED), `${more} more`] : lines)}`;
}

function tellSteps(descriptions: readonly DescriptionPart[], notes: FileNotes): void {
  for (const { kind, line } of descriptions) {
    if (kind === 'text') continue;
    const detail =
      kind === 'table'
        ? 'A table stands here without a step before it; it is left out.'
        : 'What stands here looks like steps, but is below no scenario; it is left out.';
    notes.lose('unread_steps', line, detail);
  }
}

/** Tells what goes with a feature that has no scenario, where it is not explained by what was not parsed. */
function tellEmptyFeature(
  { feature, before }: ParsedFeature,
  descriptions: readonly DescriptionPart[],
  notes: FileNotes,
  isWhole: boolean,
): void {
  const { tags, children, location } = feature;
  const isDescribed = descriptions.some(
    ({ kind, below }) => kind === 'text' && below === location.line,
  );
  const backgrounds = children.filter(({ background }) => background).length;
  const rules = children.length - backgrounds;
  const parts = [
    ...(tags.length > 0 ? ['its tags'] : []),
    ...(isDescribed ? ['its description'] : []),
    ...(backgrounds > 0 ? ['its background'] : []),
    ...(rules > 0 ? ['its rules'] : []),
  ];
  if (parts.length === 0 && !isWhole) return;
  const isOne = parts.length === 1 && tags.length + rules === 0;
  const leftOut = parts.length === 0 ? '' : `; ${listed(parts)} ${isOne ? 'is' : 'are'} left out`;
  const severity = children.length > 0 ? 'warning' : 'info';
  const detail = `The feature has no scenario${leftOut}.`;
  notes.note('empty_document', before + location.line, detail, { severity });
}

function listed(parts: readonly (string | number)[]): string {
  const most = parts.slice(0, -1).join(', ');
  return `${most}${most === '' ? '' : ' and '}${parts.at(-1) ?? ''}`;
}

function tellEmptyRule(
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

function holdsScenario({ scenario, rule }: Feature['children'][number]): boolean {
  return scenario !== undefined || (rule?.children ?? []).some(holdsScenario);
}

/** The backgrounds and examples of a feature that have names, in their order. */
function namedParts(
  { children }: Pick<Feature | Rule, 'children'>,
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
