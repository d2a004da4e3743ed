// Items and links as readers make them, for tests of what is made of them.
import type { SourceItem, SourceLink } from '../../src/requirements/sources/model.ts';

/** A requirement, or what a test needs of one. */
export function item(id: string, change: Partial<SourceItem> = {}): SourceItem {
  return {
    ...{ id, kind: 'requirement', title: `Title of ${id}`, acceptance: [] },
    statement: `${id} shall hold`,
    ...{ rationale: null, status: null, priority: null, tags: [], attributes: {} },
    ...{ path: 'a.md', line: 1, parentId: null, active: true },
    ...change,
  } as SourceItem;
}

/** A link on the first line of `a.md`. */
export function link(from: string, to: string, type: SourceLink['type'] = 'refines'): SourceLink {
  return { from, to, type, path: 'a.md', line: 1 };
}
