// Tells what of a scenario is kept in another way than it may seem.
import type { Step } from '@cucumber/messages';
import type { ScenarioKey } from './gherkin-keys.ts';
import type { FileNotes } from './source-result.ts';

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
