// Tells what of a scenario is kept in another way than it may seem.
import { dialects } from '@cucumber/gherkin';
import type { Scenario, Step, Tag } from '@cucumber/messages';
import { idOfTag, joinsIds, lacksRevision, longIdOfTag, longIdsOfTitle } from './gherkin-ids.ts';
import type { ScenarioKey } from './gherkin-keys.ts';
import { LOOK_MOST } from './item-ids.ts';
import { isNearlyRoute } from './route-tags.ts';
import type { FileNotes } from './source-result.ts';
import { shownId } from './usable-id.ts';

/** Tells of a key that only a number sets apart from that of another scenario. */
export function tellKey({ number, first }: ScenarioKey, line: number, notes: FileNotes): void {
  if (first === null) return;
  const detail =
    `The scenario on line ${first.line} of ${first.path} has the same key; the key of this one ends in #${number}, ` +
    'after their order: where they change places, what links to the one means the other.';
  notes.note('duplicate_scenario', line, detail);
}

/** Tells of tables of examples with other columns than the one before, by the lines of their headings. */
export function tellColumns(lines: readonly number[], notes: FileNotes): void {
  const detail =
    'The table has other columns than the one before it; its rows follow below those, after an empty row and a heading of their own.';
  for (const line of lines) notes.note('other_columns', line, detail);
}

/**
 * Tells of steps with a table and a doc string.
 *
 * @param before - how many lines of the file stand before those that the steps are counted from
 */
export function tellArguments(steps: readonly Step[], before: number, notes: FileNotes): void {
  const detail =
    'A step has one argument, and this one has a table and a doc string; both are kept, the doc string first.';
  for (const { dataTable, docString } of steps) {
    if (!dataTable || !docString) continue;
    const line = Math.max(dataTable.location.line, docString.location.line);
    notes.note('second_argument', before + line, detail);
  }
}

/**
 * Tells of tags that look as if they declared a route or named ids, and do not.
 *
 * @param before - how many lines of the file stand before those that the tags are counted from
 */
export function tellTags(tags: readonly Tag[], before: number, notes: FileNotes): void {
  for (const { name, location } of tags) {
    const tag = name.replace(/^@/, '');
    const why = remarkOn(tag);
    if (why !== undefined) notes.note('invalid_reference', before + location.line, why);
  }
}

function remarkOn(tag: string): string | undefined {
  const long = longIdOfTag(tag);
  if (long !== undefined) return tooLong(long, 'it is kept as a tag');
  if (joinsIds(tag)) {
    return `The tag ${shownId(tag)} links nothing: a tag names one id, so several ids need a tag each.`;
  }
  if (lacksRevision(tag)) {
    return `The tag ${shownId(tag)} links nothing: an id of OpenFastTrace ends in a revision, as in req~login~1.`;
  }
  if (!isNearlyRoute(tag) || idOfTag(tag).length > 0) return undefined;
  return `The tag ${shownId(tag)} looks like a route and declares none: it takes a path without a query after the method, as in "GET:/orders/{id}".`;
}

/** Tells of ids in a title that are too long to be known as such. */
export function tellLongIds(title: string, line: number, notes: FileNotes): void {
  for (const id of longIdsOfTitle(title)) {
    notes.note('invalid_reference', line, tooLong(id, 'it is kept as text'));
  }
}

function tooLong(id: string, kept: string): string {
  return `${shownId(id)} has more than the ${LOOK_MOST} characters by which an id is known; ${kept}.`;
}

/** Tells of an outline without a row of examples, since nothing gives it values. */
export function tellNoExamples(
  { keyword, examples }: Scenario,
  language: string,
  line: number,
  notes: FileNotes,
): void {
  if (examples.some(({ tableBody }) => tableBody.length > 0)) return;
  const { scenario = [], scenarioOutline = [] } = dialects[language] ?? {};
  const isOutline = scenarioOutline.includes(keyword) && !scenario.includes(keyword);
  if (examples.length === 0 && !isOutline) return;
  const detail =
    examples.length > 0
      ? 'The examples have no row: the scenario never runs.'
      : 'The outline has no examples: nothing gives values to its parameters, and it does not run as one.';
  notes.note('missing_field', line, detail);
}
