// Which acceptance criteria of a Markdown source have the mark of a task, and whether they are done.
import type { SourceItem } from './model.ts';

/** The criteria of an item with the mark of a task, as its acceptance has them. */
export interface Checks {
  checked: string[];
  unchecked: string[];
}

/** Notes of a criterion whether it is done; one without a mark says nothing of it. */
export function noteCheck(checks: Checks, criterion: string, done: boolean | undefined): void {
  if (done === undefined) return;
  (done ? checks.checked : checks.unchecked).push(criterion);
}

/** Keeps with an item which of its criteria are done and which are not. */
export function keepChecks(item: SourceItem, checks: Checks): void {
  for (const name of ['checked', 'unchecked'] as const) {
    if (checks[name].length === 0) continue;
    // A file may have a field of that name.
    const free = item.attributes[name] === undefined ? name : `${name} criteria`;
    item.attributes = { ...item.attributes, [free]: checks[name] };
  }
}
